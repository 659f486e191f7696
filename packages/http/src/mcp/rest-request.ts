import { fieldPlace, type OperationShape } from '@postern/kit';

/** A REST call that does what an operation's tool does, for those who reach the service over HTTP. */
export interface RestRequest {
  readonly method: string;
  /** Path and query, encoded, under the service's prefix. */
  readonly path: string;
  /** The JSON text of the body; null when there is none. */
  readonly body: string | null;
}

/** Puts each field of a checked input where the operation's binding wants it. */
export function restRequest(
  operation: OperationShape,
  input: Readonly<Record<string, unknown>>,
): RestRequest {
  const { method } = operation.http;
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const place = fieldPlace(operation, field);
    if (place === 'body') body[field] = value;
    if (place === 'query') for (const item of [value].flat()) query.append(field, String(item));
  }
  const path = operation.http.path.replace(/:([a-z_]+)/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return {
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    body: hasBody ? JSON.stringify(body) : null,
  };
}
