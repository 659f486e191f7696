import {
  coerceQuery,
  type FieldViolation,
  fieldPlace,
  JsonText,
  type OperationShape,
  pathParameters,
} from '@postern/kit';
import { checkOperationInput, notAnObject, type ReadInput } from './invoke.ts';
import { JsonError, parseJson } from './json.ts';

/** What a request says, as the input of an operation. */

export interface Sent {
  /** A repeated field is an array. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** The value of the JSON body; undefined where there was none. */
  readonly body: unknown;
}

/** Takes the fields from path, query and body as the binding says, and checks them. */
export function readInput(operation: OperationShape, sent: Sent): ReadInput {
  const { input, violations } = placeFields(operation, sent);
  return { input, violations, checked: checkOperationInput(operation, input, 'rest') };
}

/** The same with the octets of the body. */
export interface SentBulk extends Omit<Sent, 'body'> {
  readonly body: Uint8Array;
}

/** A {@link ReadInput} in which the bulk field is but a text, or why the body cannot be read. It can be cloned. */
export type BulkInput = ReadInput | { readonly fault: string };

/** Parses and checks a body with a bulk field; to be called off the event loop. */
export function readBulk(operation: OperationShape, { body, ...rest }: SentBulk): BulkInput {
  let value: unknown;
  try {
    value = body.length === 0 ? undefined : parseJson(body);
  } catch (error) {
    if (error instanceof JsonError) return { fault: error.message };
    throw error;
  }
  const { input, violations, checked } = readInput(operation, { ...rest, body: value });
  const small = Object.entries(input).filter(([field]) => field !== operation.http.bulk);
  return {
    input: Object.fromEntries(small),
    violations,
    checked: checked.ok ? { ok: true, value: mapBulk(operation, checked.value, textOf) } : checked,
  };
}

/** What {@link readBulk} has read, on the event loop again. */
export function bulkInput(
  operation: OperationShape,
  found: Exclude<BulkInput, { fault: string }>,
): ReadInput {
  const { checked } = found;
  return checked.ok
    ? { ...found, checked: { ok: true, value: mapBulk(operation, checked.value, jsonOf) } }
    : found;
}

function mapBulk(
  { name, http: { bulk } }: OperationShape,
  value: Readonly<Record<string, unknown>>,
  map: (value: unknown) => unknown,
): Record<string, unknown> {
  if (bulk === undefined) throw new Error(`operation ${name} has no bulk field`);
  return Object.hasOwn(value, bulk) ? { ...value, [bulk]: map(value[bulk]) } : { ...value };
}

const textOf = (value: unknown) => (value instanceof JsonText ? value.text : value);
const jsonOf = (value: unknown) => (typeof value === 'string' ? new JsonText(value) : value);

interface Placed {
  readonly input: Record<string, unknown>;
  readonly violations: FieldViolation[];
}

function placeFields(operation: OperationShape, sent: Sent): Placed {
  const violations: FieldViolation[] = [];
  const known = new Set([
    ...Object.keys(operation.input.shape),
    ...Object.keys(operation.restOnly?.shape ?? {}),
  ]);
  const take = (fields: Readonly<Record<string, unknown>>, place: 'query' | 'body'): [string, unknown][] =>
    Object.entries(fields).filter(([field]) => {
      const right = known.has(field) ? fieldPlace(operation, field) : null;
      if (right === place) return true;
      const message =
        right === null ? `is not a field of the ${place}` : `belongs in the ${right}, not in the ${place}`;
      violations.push({ field, code: 'unknown_field', message });
      return false;
    });

  const query = take(sent.query, 'query');
  const path = pathParameters(operation.http.path).map((name) => [name, sent.params[name]]);
  const body = sent.body === undefined ? {} : sent.body;
  const bodyFault = notAnObject(body, 'body');
  if (bodyFault !== null) violations.push(bodyFault);
  const text = [...query, ...path] as [string, string | string[]][];
  const isRestOnly = ([field]: [string, unknown]) => Object.hasOwn(operation.restOnly?.shape ?? {}, field);
  return {
    input: {
      ...(bodyFault === null ? Object.fromEntries(take(body as Record<string, unknown>, 'body')) : {}),
      ...coerceQuery(operation.input, Object.fromEntries(text.filter((entry) => !isRestOnly(entry)))),
      ...(operation.restOnly
        ? coerceQuery(operation.restOnly, Object.fromEntries(text.filter(isRestOnly)))
        : {}),
    },
    violations,
  };
}
