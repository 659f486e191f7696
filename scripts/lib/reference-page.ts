import {
  describeOperation,
  type ErrorCatalogue,
  fieldPlace,
  inputJsonSchema,
  type JsonSchema,
  type OperationShape,
  outputJsonSchema,
} from '../../packages/kit/src/index.ts';

/** One operation as a Markdown page: route, tool, fields, answer, errors. */

export interface ReferenceOptions {
  readonly operation: OperationShape & { readonly rights: unknown };
  /** What stands before the operation's path. */
  readonly prefix: string;
  readonly catalogue: ErrorCatalogue;
}

export function referencePage({ operation, prefix, catalogue }: ReferenceOptions): string {
  const { name, http, annotations } = operation;
  const hints = Object.entries(annotations).flatMap(([hint, isSo]) => (isSo ? [hint] : []));
  return [
    `# ${name}`,
    '',
    describeOperation(operation),
    '',
    `- Route: \`${http.method} ${prefix}${http.path.replace(/:([a-z_]+)/g, '{$1}')}\`, answers ${http.status ?? 200}`,
    `- MCP tool: ${operation.tool ? 'yes' : 'no'}`,
    `- Hints: ${hints.join(', ') || 'none'}`,
    `- Rights: \`${JSON.stringify(operation.rights)}\``,
    '',
    '## Input',
    '',
    ...inputTable(operation),
    '',
    '## Answer',
    '',
    ...answer(operation),
    '',
    '## Errors',
    '',
    'Beside those every operation has (see [errors](../errors.md)):',
    '',
    ...(operation.errors.length === 0
      ? ['none.']
      : operation.errors.map((code) => errorLine(code, catalogue))),
    '',
  ].join('\n');
}

/** `- \`code\` (404): what it means` */
export function errorLine(code: string, catalogue: ErrorCatalogue): string {
  const definition = catalogue[code];
  return `- \`${code}\` (${definition?.status ?? '?'}): ${definition?.summary ?? ''}`;
}

function inputTable(operation: OperationShape): string[] {
  const schemas = [operation.input, ...(operation.restOnly ? [operation.restOnly] : [])];
  const rows = schemas.flatMap((schema) => {
    const { properties = {}, required = [] } = inputJsonSchema(schema) as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    return Object.entries(properties).map(([field, shape]) => {
      const place = fieldPlace(operation, field) + (schema === operation.restOnly ? ', REST only' : '');
      const needed = required.includes(field) ? 'yes' : 'no';
      return `| \`${field}\` | ${place} | ${needed} | ${typeInWords(shape)} | ${cell(String(shape.description ?? ''))} |`;
    });
  });
  const headers = Object.entries(operation.http.headers ?? {}).map(
    ([header, meaning]) => `| \`${header}\` | header | no | text | ${cell(meaning)} |`,
  );
  if (rows.length + headers.length === 0) return ['None.'];
  return [
    '| field | in | required | type | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...headers,
  ];
}

function answer(operation: OperationShape): string[] {
  if (operation.http.status === 204) return ['No body.'];
  if (operation.http.produces !== undefined) return [`A body of type \`${operation.http.produces}\`.`];
  return ['```json', JSON.stringify(outputJsonSchema(operation.output), null, 2), '```'];
}

function typeInWords(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives))
    return alternatives.map((one) => typeInWords(one as JsonSchema)).join(' or ');
  const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'default', 'format']
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key} ${JSON.stringify(schema[key])}`);
  return cell([String(schema.type ?? 'any'), ...limits].join(', '));
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
