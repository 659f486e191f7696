import { toolList } from '@postern/http/mcp';
import { describeOperation, type JsonSchema } from '@postern/kit';
import { describe, expect, test } from 'vitest';
import { inboxDialect, inboxErrors } from '../errors.ts';
import { inboxOperations } from './index.ts';

const tools = toolList(inboxOperations, { dialect: inboxDialect });

describe('what MCP lists', () => {
  test('is exactly the four tools of a human assistant’s day', () => {
    expect(tools.map(({ name }) => name)).toEqual([
      'get_message_context',
      'list_unread_messages',
      'mark_read',
      'send_message',
    ]);
  });

  test.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s is as it was reviewed (a change shows in its snapshot)',
    async (name, tool) => {
      await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(`__snapshots__/${name}.json`);
    },
  );

  test('takes what the contract says: names, what is required, ranges, patterns, nothing unknown', () => {
    const messageId = { type: 'string', pattern: '^msg_[0-9A-HJKMNP-TV-Z]{26}$' };
    const expected = {
      list_unread_messages: {
        required: undefined,
        properties: {
          since: { type: 'string' },
          source: { type: 'string', enum: ['imessage', 'discord', 'local'] },
          channel_id: { type: 'string' },
          limit: { type: 'integer', minimum: 1, maximum: 100 },
        },
      },
      send_message: {
        required: ['channel_id', 'text'],
        properties: {
          channel_id: { type: 'string' },
          text: { type: 'string' },
          reply_to: messageId,
          attachments: { type: 'array', items: { type: 'object', additionalProperties: false } },
        },
      },
      mark_read: {
        required: ['message_ids'],
        properties: { message_ids: { type: 'array', maxItems: 1_000, items: messageId } },
      },
      get_message_context: {
        required: ['channel_id', 'around_message_id'],
        properties: {
          channel_id: { type: 'string' },
          around_message_id: messageId,
          before: { type: 'integer', minimum: 0, maximum: 50, default: 5 },
          after: { type: 'integer', minimum: 0, maximum: 50, default: 5 },
        },
      },
    };
    for (const { name, inputSchema } of tools) {
      const { required, properties } = expected[name as keyof typeof expected];
      expect(inputSchema.required).toEqual(required);
      expect(inputSchema.additionalProperties).toBe(false);
      expect(Object.keys(inputSchema.properties ?? {})).toEqual(Object.keys(properties));
      expect(inputSchema.properties).toMatchObject(properties);
    }
  });

  test('answers that fit, and errors too: each output schema admits the envelope', () => {
    for (const { outputSchema } of tools) {
      const { type, anyOf } = outputSchema as JsonSchema;
      expect(type).toBe('object');
      expect(anyOf).toHaveLength(2);
      expect((anyOf as JsonSchema[])[1]).toMatchObject({ required: ['error'] });
    }
  });
});

describe.each(inboxOperations.map((operation) => [operation.name, operation] as const))(
  'the operation %s',
  (_name, operation) => {
    test('sets all four annotation hints, and they agree with its method', () => {
      const { readOnly, destructive, idempotent, openWorld } = operation.annotations;
      for (const hint of [readOnly, destructive, idempotent, openWorld]) expect(typeof hint).toBe('boolean');
      expect(readOnly).toBe(operation.http.method === 'GET');
      if (readOnly) expect([destructive, idempotent]).toEqual([false, true]);
      if (operation.http.method === 'DELETE') expect(destructive).toBe(true);
      if (operation.http.method === 'PUT') expect(idempotent).toBe(true);
    });

    test('is described in three sentences: when to call it, what it needs, what it returns', () => {
      const sentences = describeOperation(operation).split(/(?<=\.)\s+/);
      expect(sentences.map((sentence) => sentence.split(' ')[0])).toEqual(['Call', 'Needs', 'Returns']);
      for (const sentence of sentences) expect(sentence.length).toBeLessThan(260);
    });

    test('declares only errors of the catalogue, and those its rights can give', () => {
      for (const code of operation.errors) expect(Object.hasOwn(inboxErrors, code)).toBe(true);
      expect(new Set(operation.errors).size).toBe(operation.errors.length);
      expect(operation.errors.includes('AGENT_ID_REQUIRED')).toBe(operation.rights.agent === 'required');
    });

    test('describes each argument a model has to fill in', () => {
      if (!operation.tool) return;
      const tool = tools.find(({ name }) => name === operation.name);
      for (const [field, schema] of Object.entries(tool?.inputSchema.properties ?? {}))
        if (field !== 'attachments') expect(schema, field).toHaveProperty('description');
    });
  },
);

test('no two operations share a name or a route', () => {
  const routes = inboxOperations.map(({ http }) => `${http.method} ${http.path.replace(/:[a-z_]+/g, ':id')}`);
  expect(new Set(routes).size).toBe(routes.length);
  expect(new Set(inboxOperations.map(({ name }) => name)).size).toBe(inboxOperations.length);
});

test('errors have the statuses of the contract', () => {
  const statuses = Object.fromEntries(
    Object.entries(inboxErrors).map(([code, { status }]) => [code, status]),
  );
  expect(statuses).toEqual({
    UNAUTHORIZED: 401,
    AGENT_ID_REQUIRED: 400,
    VALIDATION_FAILED: 422,
    FORBIDDEN: 403,
    CHANNEL_NOT_FOUND: 404,
    MESSAGE_NOT_FOUND: 404,
    ATTACHMENT_TOO_LARGE_FOR_PLATFORM: 413,
    IDEMPOTENCY_KEY_REUSE: 422,
    IDEMPOTENCY_IN_PROGRESS: 409,
    RATE_LIMITED: 429,
    PLATFORM_AUTH: 502,
    PLATFORM_SEND_FAILED: 502,
    PAYLOAD_TOO_LARGE: 413,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    HUB_UNREACHABLE: 503,
    INTERNAL_ERROR: 500,
  });
});
