import {
  fieldPlace,
  inputJsonSchema,
  type JsonSchema,
  outputJsonSchema,
} from '../../../packages/kit/src/index.ts';
import { type RecordedExample, takesConfirm } from './examples.ts';
import { type FieldRow, fieldRows } from './fields.ts';
import { block, jsonBlock, link, table } from './markdown.ts';
import {
  bracedPath,
  openApiEntry,
  type ReferenceOperation,
  type ReferenceService,
  routeOf,
} from './service.ts';

/** One operation as two pages: how an agent calls it, and how a program does. */

export interface PageInputs {
  readonly service: ReferenceService;
  readonly operation: ReferenceOperation;
  readonly example: RecordedExample | undefined;
  /** The line that says what the page was made from. */
  readonly stamp: string;
}

export function toolPage({ service, operation, example, stamp }: PageInputs): string {
  const { name } = operation;
  const isConfirmed = takesConfirm(operation);
  return page(
    [`# ${name}`, '', stamp],
    threeLines(operation),
    [`Its operation: ${link(`\`${routeOf(service, operation)}\``, `../operations/${name}.md`)}`],
    [
      '## Arguments',
      '',
      ...argumentTable(fieldRows(inputJsonSchema(operation.toolInput ?? operation.input))),
    ],
    ['## Outcomes', '', ...outcomes(operation)],
    ['## Answer', '', ...answerTable(operation)],
    ['## Errors', '', ...toolErrors(service, operation)],
    example?.tool
      ? [
          isConfirmed ? '## Example: the dry run' : '## Example',
          '',
          ...jsonBlock({ name, arguments: example.tool.arguments }),
          '',
          '`structuredContent`, and the same as JSON in a text block:',
          '',
          ...jsonBlock(example.tool.structured),
        ]
      : [],
  );
}

export function operationPage({ service, operation, example, stamp }: PageInputs): string {
  const { name, http, tool } = operation;
  return page(
    [`# ${name}`, '', stamp],
    threeLines(operation),
    [
      `\`${routeOf(service, operation)}\`, answers ${http.status ?? 200}. OpenAPI: operationId \`${name}\` in ${link('openapi.json', '../openapi.json')}.`,
    ],
    [tool ? `Its tool: ${link(name, `../tools/${name}.md`)}` : 'It is not a tool.'],
    ['## Request', '', ...requestTable(service, operation)],
    ['## Answer', '', ...restAnswer(operation)],
    ['## Errors', '', ...restErrors(service, operation)],
    example ? ['## Example', '', ...restExample(example)] : [],
  );
}

function page(...parts: readonly (readonly string[])[]): string {
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function threeLines({ call, needs, returns }: ReferenceOperation): string[] {
  return [call, '', needs, '', returns];
}

function argumentTable(rows: readonly FieldRow[]): string[] {
  if (rows.length === 0) return ['None: `{}`, or nothing at all.'];
  return table(
    ['argument', 'required', 'type', 'meaning'],
    rows.map(({ path, required, type, meaning }) => [`\`${path}\``, required ? 'yes' : 'no', type, meaning]),
  );
}

function requestTable(service: ReferenceService, operation: ReferenceOperation): string[] {
  const inputs = [operation.input, ...(operation.restOnly ? [operation.restOnly] : [])];
  const fields = inputs.flatMap((schema) => fieldRows(inputJsonSchema(schema)));
  const rows = fields.map(({ path, required, type, meaning }) => {
    const [field = ''] = path.split(/[.[]/);
    const place = Object.hasOwn(operation.restOnly?.shape ?? {}, field) ? ' (not of the tool)' : '';
    return [`\`${path}\``, fieldPlace(operation, field) + place, required ? 'yes' : 'no', type, meaning];
  });
  const headers = (openApiEntry(service, operation)?.parameters ?? []).filter((one) => one.in === 'header');
  const all = [
    ...rows,
    ...headers.map(({ name, required, description = '' }) => [
      `\`${name}\``,
      'header',
      required ? 'yes' : 'no',
      'text',
      description,
    ]),
  ];
  return all.length === 0 ? ['No fields.'] : table(['field', 'in', 'required', 'type', 'meaning'], all);
}

const OUTCOMES: readonly (readonly [RegExp, string])[] = [
  [/^would_/, 'The dry run: everything was checked, nothing was changed.'],
  [/^already_/, 'It was so before; nothing was changed.'],
  [/^failed$/, 'It was begun, and went straight to failed.'],
  [/./, 'It was done.'],
];

function outcomes({ output, http }: ReferenceOperation): string[] {
  const { properties } = outputJsonSchema(output) as { properties?: Record<string, JsonSchema> };
  const { outcome } = properties ?? {};
  const values = outcome?.enum ?? (outcome?.const === undefined ? [] : [outcome.const]);
  if (!Array.isArray(values) || values.length === 0) {
    return [
      `It succeeds with the answer below${http.status === 201 ? ', having created what it answers' : ''}, or fails with one of the errors.`,
    ];
  }
  return table(
    ['outcome', 'meaning'],
    values.map((value) => [
      `\`${value}\``,
      OUTCOMES.find(([pattern]) => pattern.test(String(value)))?.[1] ?? '',
    ]),
  );
}

function answerTable({ output }: ReferenceOperation): string[] {
  const rows = fieldRows(outputJsonSchema(output));
  if (rows.length === 0) return ['No fields.'];
  return table(
    ['field', 'type', 'meaning'],
    rows.map(({ path, type, meaning }) => [`\`${path}\``, type, meaning]),
  );
}

function restAnswer(operation: ReferenceOperation): string[] {
  const { http } = operation;
  if (http.status === 204) return ['No body.'];
  if (http.produces !== undefined) return [`A body of type \`${http.produces}\`.`];
  return answerTable(operation);
}

function toolErrors(service: ReferenceService, operation: ReferenceOperation): string[] {
  const { common } = service.dialect;
  const codes = new Set([...operation.errors, common.validation, common.forbidden, common.internal]);
  const before = service.beforeTools.map((fault) => common[fault]);
  const lines = [...codes].filter((code) => !before.includes(code)).map((code) => errorLine(service, code));
  if (before.length === 0) return lines;
  const links = before.map((code) => errorLink(service, code)).join(', ');
  return [...lines, '', `Answered over HTTP, before the tool is called: ${links}.`];
}

function restErrors(service: ReferenceService, operation: ReferenceOperation): string[] {
  const { responses = {} } = openApiEntry(service, operation) ?? {};
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) =>
      description.split('\n').map((line) => {
        const code = line.split(':', 1)[0] ?? '';
        return `- ${status} ${errorLink(service, code)}${line.slice(code.length)}`;
      }),
    );
}

function errorLine(service: ReferenceService, code: string): string {
  return `- ${errorLink(service, code)}: ${service.dialect.catalogue[code]?.summary ?? ''}`;
}

function errorLink({ errorsPage, name }: ReferenceService, code: string): string {
  const up = errorsPage.startsWith(`${name}/`)
    ? `../${errorsPage.slice(name.length + 1)}`
    : `../../${errorsPage}`;
  return link(`\`${code}\``, `${up}#${code.toLowerCase()}`);
}

function restExample({ rest }: RecordedExample): string[] {
  const request = [
    `${rest.line} HTTP/1.1`,
    'Authorization: Bearer <key>',
    ...Object.entries(rest.headers).map(([name, value]) => `${name}: ${value}`),
    ...(rest.body === null ? [] : ['Content-Type: application/json', '', JSON.stringify(rest.body, null, 2)]),
  ];
  const answer =
    rest.answer === null
      ? [`It answers ${rest.status}.`]
      : [`It answers ${rest.status}:`, '', ...jsonBlock(rest.answer)];
  return [...block('http', request.join('\n')), '', ...answer];
}

/** Route and sentence of an operation for a table of contents. */
export function indexRow(service: ReferenceService, operation: ReferenceOperation): string[] {
  const { name, tool, http } = operation;
  return [
    tool ? link(name, `tools/${name}.md`) : name,
    link(`\`${http.method} ${service.prefix}${bracedPath(http.path)}\``, `operations/${name}.md`),
    operation.call,
  ];
}
