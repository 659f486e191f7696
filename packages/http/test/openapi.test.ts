import { type OperationShape, operationsOf } from '@postern/kit';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { docsPage } from '../src/docs-page.ts';
import { toolList } from '../src/mcp/tools.ts';
import { type OpenApiOptions, openApiDocument } from '../src/openapi.ts';
import { problemDialect } from '../src/problem.ts';
import { mountReference } from '../src/reference.ts';
import { authenticate, operations, publicUrl, startService, TOKEN } from './service.ts';

const dialect = problemDialect({ publicUrl });

function documentOf(shapes: readonly OperationShape[], more: Partial<OpenApiOptions> = {}) {
  return openApiDocument({
    title: 'Things <API>',
    version: '1.0.0',
    description: 'Things & more.',
    serverUrl: 'https://postern.example/api',
    operations: shapes,
    dialect,
    bearerDescription: 'Made by the operator.',
    ...more,
  });
}

/** Every `$ref` in a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : references(inner),
  );
}

function resolve(document: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], document as unknown);
}

const operation = operationsOf<object, string, 'not_found'>();
const base = {
  call: 'Call it to see.',
  needs: 'Needs nothing.',
  returns: 'Returns a tree.',
  tool: true,
  rights: 'any',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  errors: ['not_found'],
} as const;
interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}
const tree: z.ZodType<Tree> = z
  .object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  })
  .meta({ id: 'Tree' });
const readTree = operation({
  ...base,
  name: 'read_tree',
  http: { method: 'GET', path: '/trees/:id' },
  input: z.strictObject({ id: z.string() }),
  output: z.object({ tree }),
  handle: async () => ({ tree: { name: 'a', children: [] } }),
});
const checkTree = operation({
  ...base,
  name: 'check_tree',
  http: { method: 'POST', path: '/trees/check' },
  input: z.strictObject({ tree }),
  output: z.object({ ok: z.boolean() }),
  handle: async () => ({ ok: true }),
});

describe('the OpenAPI document', () => {
  const document = documentOf(operations);

  test('has every operation under its path and method, named like its tool', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    );
    expect(found).toEqual([
      'get /things/{thing_id} get_thing',
      'delete /things/{thing_id} delete_thing',
      'get /things list_things',
      'post /boxes/{box}/things create_thing',
      'post /break break_thing',
      'get /blobs/{kind} read_blob',
      'get /whoami who_am_i',
    ]);
    expect(document.openapi).toBe('3.1.0');
  });

  test('puts each field where it travels', () => {
    const create = document.paths['/boxes/{box}/things']?.post;
    expect(create?.parameters.map((parameter) => [parameter.name, parameter.in, parameter.required])).toEqual(
      [
        ['box', 'path', true],
        ['dry', 'query', false],
      ],
    );
    expect(create?.requestBody?.content['application/json']?.schema).toMatchObject({
      required: ['name'],
      additionalProperties: false,
      properties: { name: {}, size: {}, tags: {}, parts: {} },
    });
    const list = document.paths['/things']?.get;
    expect(list?.parameters.map(({ name }) => name)).toEqual([
      'limit',
      'color',
      'deep',
      'ids',
      'after',
      'wait',
    ]);
    expect(list).not.toHaveProperty('requestBody');
  });

  test('lists every code an operation can give under its status', () => {
    const responses = document.paths['/boxes/{box}/things']?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
    ]);
    expect(responses['422']?.description).toMatch(/^validation_failed: .+\nprecondition_failed: .+$/);
    expect(responses['409']?.content).toEqual({
      'application/problem+json': { schema: { $ref: '#/components/schemas/Error' } },
    });
    expect(document.paths['/things/{thing_id}']?.delete?.responses['204']).toEqual({
      description: 'Returns nothing.',
    });
    expect(document.paths['/blobs/{kind}']?.get?.responses['200']?.content).toEqual({
      'application/octet-stream': { schema: {} },
    });
  });

  test('names shared schemas once, and every reference resolves', () => {
    const trees = documentOf([readTree, checkTree]);
    expect(Object.keys(trees.components.schemas)).toContain('Tree');
    for (const reference of references(trees)) expect(resolve(trees, reference), reference).toBeDefined();
  });

  test('refuses an operation with a code nobody defined', () => {
    expect(() => documentOf([{ ...readTree, errors: ['nonsense'] }])).toThrow(
      'no error nonsense is in the catalogue',
    );
  });
});

test("a tool's output schema keeps its references when the error is admitted beside it", () => {
  const [tool] = toolList([readTree as OperationShape], { dialect });
  expect(references(tool?.outputSchema).length).toBeGreaterThan(0);
  for (const reference of references(tool?.outputSchema))
    expect(resolve(tool?.outputSchema, reference), reference).toBeDefined();
});

describe('the reference pages', () => {
  test('have no foreign parts, and nothing of the text becomes markup', () => {
    const { html, headers } = docsPage(documentOf(operations));
    expect(html).toContain('Things &lt;API&gt;');
    expect(html).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
    for (const { name } of operations) expect(html).toContain(`id="${name}"`);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]+=*'/,
    );
  });

  test('are served behind the credential', async () => {
    await using service = await startService({
      mount: (app) =>
        mountReference(app, {
          prefix: '/ref',
          dialect,
          document: () => documentOf(operations),
          authenticate: ({ headers }) => authenticate(headers.authorization, dialect),
        }),
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${service.url}/ref/openapi.json`)).status).toBe(401);
    expect(await (await fetch(`${service.url}/ref/openapi.json`, { headers })).json()).toEqual(
      JSON.parse(JSON.stringify(documentOf(operations))),
    );
    const page = await fetch(`${service.url}/ref/docs`, { headers });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});
