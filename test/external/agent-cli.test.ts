import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answer,
  drop,
  type FakeMessagesApi,
  fakeMessagesApi,
  type ModelRequest,
  overloaded,
  rateLimited,
  text,
  toolUse,
} from '../fakes/messages-api.ts';
import { allow, type Envelope, post, saidIn, unreadOf } from '../support/conversation.ts';
import { startHub, type TestHub } from '../support/hub.ts';
import { runAgent } from './agent-cli.ts';
import { inboxServer, transports } from './inbox-servers.ts';

const ana = { id: 'ana', name: 'Ana' };
const tools = ['get_message_context', 'list_unread_messages', 'mark_read', 'send_message'];
const offered = tools.map((name) => `mcp__inbox__${name}`);

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub();
  await allow(hub, ana);
});
afterAll(() => hub[Symbol.asyncDispose]());

const use = (tool: string, input: Record<string, unknown>) => answer(toolUse(`mcp__inbox__${tool}`, input));

/** What the model was just answered; a success is given to it as JSON. */
function read<Body>(request: ModelRequest): Body {
  const { isError, text } = request.toolResult;
  if (isError) throw new Error(`the tool failed: ${text}`);
  return JSON.parse(text) as Body;
}

/** Lets the agent make one call, and gives back the error the model reads. */
async function errorOf(
  api: FakeMessagesApi,
  server: object,
  tool: string,
  input: Record<string, unknown>,
): Promise<unknown> {
  let error: unknown;
  api.script(use(tool, input), ({ toolResult }) => {
    error = toolResult.isError ? JSON.parse(toolResult.text) : `no error: ${toolResult.text}`;
    return answer(text('It does not work.'));
  });
  // Behind the error of a tool whose schema the model has not seen, the CLI would put the schema.
  await runAgent({ api, servers: { inbox: server }, schemas: 'at_once' });
  api.verify();
  return error;
}

describe.each(transports)('an agent over %s', (transport) => {
  test('sees what is new, looks around, answers, and marks it done', async () => {
    const channel = `desk-${transport}`;
    await post(hub, channel, ana, 'Good morning');
    const question = await post(hub, channel, ana, 'When does the shop open?');
    await using api = await fakeMessagesApi();
    const seen: Record<string, Envelope[]> = {};
    const newest = () => seen.unread?.at(-1) as Envelope;
    let sent = '';
    api.script(
      use('list_unread_messages', { channel_id: `local:${channel}` }),
      (request) => {
        seen.unread = read<{ messages: Envelope[] }>(request).messages;
        return use('get_message_context', {
          channel_id: newest().channel_id,
          around_message_id: newest().id,
          before: 3,
        });
      },
      (request) => {
        seen.context = read<{ messages: Envelope[] }>(request).messages;
        return use('send_message', {
          channel_id: newest().channel_id,
          text: 'At nine.',
          reply_to: newest().id,
        });
      },
      (request) => {
        sent = read<{ message_id: string }>(request).message_id;
        return use('mark_read', { message_ids: seen.unread?.map(({ id }) => id) });
      },
      (request) => {
        expect(read(request)).toEqual({ marked_count: 2 });
        return use('list_unread_messages', { channel_id: `local:${channel}` });
      },
      (request) => {
        seen.after = read<{ messages: Envelope[] }>(request).messages;
        return answer(text('Ana has her answer.'));
      },
    );

    const run = await runAgent({
      api,
      servers: { inbox: inboxServer(transport, hub, { agentId: `clerk-${transport}` }) },
      schemas: 'at_once',
    });

    api.verify();
    expect(run).toMatchObject({ code: 0, result: { is_error: false, result: 'Ana has her answer.' } });
    expect(seen.unread?.map((message) => message.text)).toEqual(['Good morning', 'When does the shop open?']);
    expect(seen.context?.map((message) => message.text)).toEqual([
      'Good morning',
      'When does the shop open?',
    ]);
    expect(seen.after).toEqual([]);

    const [first] = api.requests as [ModelRequest];
    expect(first.everything).toContain('Messages from people on several platforms');
    expect(first.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(offered));
    const send = first.tools.find(({ name }) => name === 'mcp__inbox__send_message');
    expect(send?.description).toMatch(/^Call it .+\. Needs .+\. Returns .+\.$/);
    expect(send?.input_schema).toMatchObject({
      required: ['channel_id', 'text'],
      additionalProperties: false,
      properties: { reply_to: { pattern: '^msg_[0-9A-HJKMNP-TV-Z]{26}$' } },
    });

    const answers = (await saidIn(hub, channel)).filter(({ user }) => user.id !== ana.id);
    expect(answers).toEqual([
      expect.objectContaining({
        text: 'At nine.',
        reply_to: question.chat.id,
        user: { id: 'postern', name: 'Postern' },
      }),
    ]);
    const stored = await hub.agent<Envelope>('clerk', 'GET', `/messages/${sent}`);
    expect(stored).toMatchObject({ direction: 'outbound', reply_to: question.envelope.id });
    expect(await unreadOf(hub, `clerk-${transport}`, channel)).toEqual([]);
    expect(await unreadOf(hub, `colleague-${transport}`, channel)).toHaveLength(2);
  });

  test('has the four tools and no other, their schemas on demand', async () => {
    await using api = await fakeMessagesApi();
    api.script(answer(text('Nothing to do.')));
    const run = await runAgent({
      api,
      servers: { inbox: inboxServer(transport, hub, { agentId: 'clerk' }) },
    });
    api.verify();
    expect(run.init.mcp_servers).toEqual([expect.objectContaining({ name: 'inbox', status: 'connected' })]);
    expect(run.init.tools.filter((name) => name.startsWith('mcp__')).sort()).toEqual(offered);
    const [first] = api.requests as [ModelRequest];
    expect(first.everything).toContain('Messages from people on several platforms');
    for (const name of offered) expect(first.everything).toContain(name);
  });

  test('reads the envelope when it writes to an unknown channel', async () => {
    await using api = await fakeMessagesApi();
    const server = inboxServer(transport, hub, { agentId: 'clerk' });
    const error = await errorOf(api, server, 'send_message', { channel_id: 'local:nowhere', text: 'Hello?' });
    expect(error).toEqual({
      error: { code: 'CHANNEL_NOT_FOUND', message: expect.stringContaining('local:nowhere'), status: 404 },
    });
  });

  test('reads which field it got wrong', async () => {
    await using api = await fakeMessagesApi();
    const server = inboxServer(transport, hub, { agentId: 'clerk' });
    const error = await errorOf(api, server, 'mark_read', { message_ids: ['post_1'], forever: true });
    expect(error).toMatchObject({
      error: { code: 'VALIDATION_FAILED', status: 422, details: { errors: expect.any(Array) } },
    });
    expect(JSON.stringify(error)).toMatch(/forever/);
  });
});

test('over stdio, an agent whose hub stops half-way reads that it is unreachable', async () => {
  await using doomed = await startHub();
  await allow(doomed, ana);
  const { envelope } = await post(doomed, 'desk', ana, 'Are you still there?');
  await using api = await fakeMessagesApi();
  api.script(use('list_unread_messages', {}), async (request) => {
    expect(read<{ messages: Envelope[] }>(request).messages).toHaveLength(1);
    await doomed.stop();
    return use('send_message', { channel_id: 'local:desk', text: 'Yes.', reply_to: envelope.id });
  });
  let error: unknown;
  api.script(({ toolResult }) => {
    error = toolResult.isError ? JSON.parse(toolResult.text) : toolResult.text;
    return answer(text('I could not answer.'));
  });
  const run = await runAgent({
    api,
    servers: { inbox: inboxServer('stdio', doomed, { agentId: 'clerk' }) },
    schemas: 'at_once',
  });
  api.verify();
  expect(error).toMatchObject({ error: { code: 'HUB_UNREACHABLE', status: 503 } });
  expect(run).toMatchObject({ code: 0, result: { result: 'I could not answer.' } });
});

test('over stdio, an agent with a wrong bearer reads that it is refused', async () => {
  await using api = await fakeMessagesApi();
  const server = inboxServer('stdio', hub, {
    agentId: 'clerk',
    bearer: 'pst_inbox_not_the_bearer_of_this_hub',
  });
  const error = await errorOf(api, server, 'list_unread_messages', {});
  expect(error).toMatchObject({ error: { code: 'UNAUTHORIZED', status: 401 } });
});

test('over HTTP, an agent with a wrong bearer has no inbox', async () => {
  await using api = await fakeMessagesApi();
  api.script(answer(text('There is no inbox.')));
  const server = inboxServer('http', hub, {
    agentId: 'clerk',
    bearer: 'pst_inbox_not_the_bearer_of_this_hub',
  });
  const run = await runAgent({ api, servers: { inbox: server } });
  api.verify();
  expect(run.init.mcp_servers).toEqual([expect.objectContaining({ name: 'inbox', status: 'failed' })]);
  expect(run.init.tools.filter((name) => name.startsWith('mcp__'))).toEqual([]);
});

test('an agent goes on when the API of its model fails for a moment', async () => {
  await using api = await fakeMessagesApi();
  api.script(
    overloaded(),
    rateLimited(1),
    drop(),
    drop(4, text('Let me')),
    use('list_unread_messages', { limit: 1 }),
  );
  api.script(answer(text('Done.')));
  const run = await runAgent({ api, servers: { inbox: inboxServer('http', hub, { agentId: 'clerk' }) } });
  api.verify();
  expect(run).toMatchObject({ code: 0, result: { result: 'Done.' } });
});
