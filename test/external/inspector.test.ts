import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allow, type Envelope, post, saidIn } from '../support/conversation.ts';
import { startHub, type TestHub } from '../support/hub.ts';
import { httpServer, inboxServer, stdioServer } from './inbox-servers.ts';
import { call, EXIT, inspect } from './inspector-cli.ts';

/** The MCP Inspector's command line, over both transports and in both eras of the protocol. */

const ana = { id: 'ana', name: 'Ana' };

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub();
  await allow(hub, ana);
});
afterAll(() => hub[Symbol.asyncDispose]());

describe.each([
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const)('over %s, %s era', (transport, era) => {
  const server = () => inboxServer(transport, hub, { agentId: `inspector-${transport}-${era}` });

  test('the four tools have portable schemas: nothing to say for --strict', async () => {
    const { code, result, complaints } = await inspect(server(), era, '--method', 'tools/list', '--strict');
    expect(complaints).toBe('');
    expect(code).toBe(EXIT.ok);
    expect(result?.tools?.map(({ name }) => name)).toEqual([
      'get_message_context',
      'list_unread_messages',
      'mark_read',
      'send_message',
    ]);
  });

  test('a message is read, answered and marked done', async () => {
    const channel = `inspected-${transport}-${era}`;
    const { chat } = await post(hub, channel, ana, 'Is anybody there?');
    const about = { channel_id: `local:${channel}` };

    const unread = await inspect(server(), era, ...call('list_unread_messages', about));
    expect(unread).toMatchObject({ code: EXIT.ok, complaints: '' });
    const [message] = (unread.result?.structuredContent?.messages ?? []) as [Envelope];
    expect(message.text).toBe('Is anybody there?');
    expect(JSON.parse(unread.result?.content?.[0]?.text ?? '')).toEqual(unread.result?.structuredContent);

    const sent = await inspect(
      server(),
      era,
      ...call('send_message', { ...about, text: 'Yes.', reply_to: message.id }),
    );
    expect(sent).toMatchObject({ code: EXIT.ok, complaints: '' });
    expect((await saidIn(hub, channel)).slice(1)).toEqual([
      expect.objectContaining({ text: 'Yes.', reply_to: chat.id }),
    ]);

    const marked = await inspect(server(), era, ...call('mark_read', { message_ids: [message.id] }));
    expect(marked.result?.structuredContent).toEqual({ marked_count: 1 });
    const after = await inspect(server(), era, ...call('list_unread_messages', about));
    expect(after.result?.structuredContent?.messages).toEqual([]);
  });

  test("the hub's error is a tool error, and its envelope is kept whole", async () => {
    const input = { channel_id: 'local:nowhere', text: 'Hello?' };
    const { code, result, complaints } = await inspect(server(), era, ...call('send_message', input));
    expect(code).toBe(EXIT.toolError);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'CHANNEL_NOT_FOUND', status: 404 } },
    });
    expect(JSON.parse(result?.content?.[0]?.text ?? '')).toEqual(result?.structuredContent);
    expect(complaints).toContain('tool_is_error');
  });

  test('wrong input is a tool error that names the field', async () => {
    const input = { message_ids: ['post_1'] };
    const { code, result } = await inspect(server(), era, ...call('mark_read', input));
    expect(code).toBe(EXIT.toolError);
    expect(result?.structuredContent).toMatchObject({
      error: {
        code: 'VALIDATION_FAILED',
        status: 422,
        details: { errors: [{ field: expect.stringContaining('message_ids') }] },
      },
    });
  });

  test('a tool that does not exist is told from one that fails', async () => {
    const { code, complaints } = await inspect(server(), era, ...call('forget_everything', {}));
    expect(code).toBe(EXIT.toolError);
    expect(complaints).toContain('tool_not_found');
  });
});

describe.each(['legacy', 'modern'] as const)('%s era', (era) => {
  const stranger = { agentId: 'inspector', bearer: 'pst_inbox_not_the_bearer_of_this_hub' };

  test('over HTTP, a wrong bearer is a failed login', async () => {
    const { code, complaints } = await inspect(httpServer(hub, stranger), era, '--method', 'tools/list');
    expect(code).toBe(EXIT.authRequired);
    expect(complaints).toContain('auth_required');
  });

  test('over HTTP, a missing agent id is a tool error', async () => {
    const server = httpServer(hub, { agentId: 'inspector' });
    const anonymous = { ...server, headers: { Authorization: server.headers.Authorization as string } };
    const { code, result } = await inspect(anonymous, era, ...call('list_unread_messages', {}));
    expect(code).toBe(EXIT.toolError);
    expect(result?.structuredContent).toMatchObject({ error: { code: 'AGENT_ID_REQUIRED', status: 400 } });
  });

  test('over HTTP, a hub that is not there is unreachable', async () => {
    const server = { ...httpServer(hub, { agentId: 'inspector' }), url: `${await deadAddress()}/mcp/inbox` };
    const { code, complaints } = await inspect(server, era, '--method', 'tools/list');
    expect(code).toBe(EXIT.unreachable);
    expect(complaints).toContain('unreachable');
  });

  test('over stdio, a wrong bearer and a hub that is not there are tool errors', async () => {
    const refused = await inspect(stdioServer(hub, stranger), era, ...call('list_unread_messages', {}));
    expect(refused.code).toBe(EXIT.toolError);
    expect(refused.result?.structuredContent).toMatchObject({ error: { code: 'UNAUTHORIZED', status: 401 } });

    const server = stdioServer(hub, { agentId: 'inspector' });
    const lost = { ...server, env: { ...server.env, AMC_BASE_URL: await deadAddress() } };
    const listed = await inspect(lost, era, '--method', 'tools/list');
    expect(listed.code).toBe(EXIT.ok);
    const { code, result } = await inspect(lost, era, ...call('list_unread_messages', {}));
    expect(code).toBe(EXIT.toolError);
    expect(result?.structuredContent).toMatchObject({ error: { code: 'HUB_UNREACHABLE', status: 503 } });
  });
});

/** An address on loopback where nobody listens any more. */
async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `http://127.0.0.1:${port}`;
}
