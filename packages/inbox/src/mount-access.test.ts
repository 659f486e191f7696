import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  ADMIN_KEY,
  BEARER,
  fakeConnector,
  type InboxBench,
  type InboxHub,
  inboundFile,
  inboxBench,
  inboxHub,
  messageEvent,
} from './testing/index.ts';

let bench: InboxBench;
let hub: InboxHub;

beforeEach(async () => {
  bench = await inboxBench('sqlite');
  hub = inboxHub(bench);
  await bench.allow('ana');
});

const host = { host: '127.0.0.1:8080' };
const get = (url: string, headers: Record<string, string> = {}) =>
  hub.app.inject({
    method: 'GET',
    url: url.replace('http://127.0.0.1:8080', ''),
    headers: { ...host, ...headers },
  });

const send = (payload: object, headers: Record<string, string> = {}) =>
  hub.call({ method: 'POST', url: '/messages/send', payload, headers });

function code(response: LightMyRequestResponse): [number, string] {
  return [response.statusCode, response.json().error.code];
}

describe('attachments by their address', () => {
  async function addresses() {
    const known = messageEvent({ attachments: [inboundFile('a.txt', '0123456789')] });
    const stranger = messageEvent({
      sender: { id: 'eve', displayName: 'Eve' },
      attachments: [inboundFile('b.txt', 'secret')],
    });
    await bench.accept(known, stranger);
    const unread = (await hub.call({ method: 'GET', url: '/messages/unread' })).json();
    const review = (await hub.admin({ method: 'GET', url: '/messages/quarantine' })).json();
    return {
      agent: unread.messages[0].attachments[0].url as string,
      operator: review.messages[0].attachments[0].url as string,
    };
  }

  test('an agent without a bearer opens what it was listed, whole or in part, for an hour', async () => {
    const { agent } = await addresses();
    const whole = await get(agent);
    expect([whole.statusCode, whole.body]).toEqual([200, '0123456789']);
    expect(whole.headers).toMatchObject({
      'content-type': 'text/plain',
      'x-content-type-options': 'nosniff',
      'content-length': '10',
    });
    const part = await get(agent, { range: 'bytes=2-3' });
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, '23', 'bytes 2-3/10']);
    const conditional = await get(agent, { range: 'bytes=2-3', 'if-range': '"anything"' });
    expect([conditional.statusCode, conditional.body]).toEqual([200, '0123456789']);
    const beyond = await get(agent, { range: 'bytes=10-' });
    expect([...code(beyond), beyond.headers['content-range']]).toEqual([
      416,
      'VALIDATION_FAILED',
      'bytes */10',
    ]);
    await bench.clock.advance(3_600_001);
    expect(code(await get(agent))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('a forged, moved or halved signature opens nothing; the bearer opens without one, also with a stale one', async () => {
    const { agent } = await addresses();
    const address = new URL(agent);
    for (const change of [
      (url: URL) => url.searchParams.set('signature', 'x'.repeat(43)),
      (url: URL) => url.searchParams.set('expires', '99999999999'),
      (url: URL) => url.searchParams.delete('expires'),
      (url: URL) => url.searchParams.delete('signature'),
      (url: URL) => {
        url.pathname = '/attachments/att_00000000000000000000000000';
      },
    ]) {
      const changed = new URL(address);
      change(changed);
      expect(code(await get(changed.href))).toEqual([401, 'UNAUTHORIZED']);
    }
    const bearer = { authorization: `Bearer ${BEARER}` };
    address.searchParams.set('signature', 'stale');
    expect((await get(address.href, bearer)).statusCode).toBe(200);
    expect((await get(address.pathname, bearer)).statusCode).toBe(200);
  });

  test('what is in quarantine opens for the operator only', async () => {
    const { operator } = await addresses();
    const { pathname } = new URL(operator);
    expect((await get(operator)).body).toBe('secret');
    expect((await get(pathname, { authorization: `Bearer ${ADMIN_KEY}` })).body).toBe('secret');
    expect((await get(pathname, { cookie: 'postern_session=good' })).body).toBe('secret');
    expect(code(await get(pathname, { authorization: `Bearer ${BEARER}` }))).toEqual([404, 'NOT_FOUND']);
    const unknown = await get('/attachments/att_00000000000000000000000000', {
      authorization: `Bearer ${BEARER}`,
    });
    expect(code(unknown)).toEqual([404, 'NOT_FOUND']);
  });

  test('HEAD tells the size without the bytes', async () => {
    const { agent } = await addresses();
    const head = await hub.app.inject({
      method: 'HEAD',
      url: agent.replace('http://127.0.0.1:8080', ''),
      headers: host,
    });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '10']);
  });
});

describe('sending over REST', () => {
  beforeEach(() => bench.accept(messageEvent()));
  const body = { channel_id: 'local:team', text: 'hi' };

  test('a replay carries Idempotency-Replayed, for answers and for refusals', async () => {
    const first = await send(body, { 'idempotency-key': 'k1' });
    const again = await send(body, { 'idempotency-key': 'k1' });
    expect(again.json()).toEqual(first.json());
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    hub.platform.orders.push('failed');
    const failed = await send(body, { 'idempotency-key': 'k2' });
    const failedAgain = await send(body, { 'idempotency-key': 'k2' });
    expect(code(failed)).toEqual([502, 'PLATFORM_SEND_FAILED']);
    expect(failedAgain.json()).toEqual(failed.json());
    expect(failedAgain.headers['idempotency-replayed']).toBe('true');
    expect(hub.platform.calls).toBe(2);
  });

  test('fields in another order are the same body', async () => {
    await send({ channel_id: 'local:team', text: 'hi', attachments: [] }, { 'idempotency-key': 'k' });
    const again = await send({ text: 'hi', channel_id: 'local:team' }, { 'idempotency-key': 'k' });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('a key that is none is refused and named', async () => {
    for (const key of ['', ' ', 'two words', 'x'.repeat(256), 'käse']) {
      const response = await send(body, { 'idempotency-key': key });
      expect(code(response)).toEqual([422, 'VALIDATION_FAILED']);
      expect(response.json().error.details.errors[0].field).toBe('Idempotency-Key');
    }
    expect((await send(body, { 'idempotency-key': 'x'.repeat(255) })).statusCode).toBe(200);
  });

  test('works without an agent id, and too fast is told to wait', async () => {
    const answers: LightMyRequestResponse[] = [];
    for (let round = 0; round < 6; round += 1)
      answers.push(
        await hub.app.inject({
          method: 'POST',
          url: '/messages/send',
          payload: body,
          headers: { ...host, authorization: `Bearer ${BEARER}` },
        }),
      );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[5]?.headers['retry-after']).toBe('1');
    expect(code(answers[5]!)).toEqual([429, 'RATE_LIMITED']);
  });

  test('each attachment has exactly one of url and path, and a url is http or https', async () => {
    for (const attachment of [
      {},
      { url: 'https://example.com/a', path: '/a' },
      { url: 'ftp://example.com/a' },
      { url: 'file:///etc/passwd' },
      { url: 'data:text/plain,x' },
      { url: 'not a url' },
      { path: '' },
      { file: '/a' },
    ]) {
      const response = await send({ ...body, attachments: [attachment] });
      expect([attachment, ...code(response)]).toEqual([attachment, 422, 'VALIDATION_FAILED']);
    }
    expect(hub.platform.calls).toBe(0);
  });
});

describe('a console login', () => {
  const cookie = { cookie: 'postern_session=good' };

  test('opens the operator’s routes and none of the agents’', async () => {
    await bench.accept(messageEvent());
    const { message_id } = (await bench.unread('x'))[0]!;
    for (const url of [
      '/channels',
      '/agents',
      '/agents/tokens',
      '/messages/quarantine',
      '/allowlist',
      '/pairings',
      '/webhooks/deliveries',
      '/channels/local:team/messages',
      '/openapi.json',
    ])
      expect([url, (await get(url, cookie)).statusCode]).toEqual([url, 200]);
    for (const url of [
      '/messages/unread',
      `/messages/${message_id}`,
      `/messages/context?channel_id=local:team&around_message_id=${message_id}`,
    ])
      expect([url, ...code(await get(url, { ...cookie, 'x-agent-id': 'a1' }))]).toEqual([
        url,
        403,
        'FORBIDDEN',
      ]);
  });
});

describe('a server that stops', () => {
  test('answers those who wait', async () => {
    const waiting = hub.call({ method: 'GET', url: '/messages/unread?wait=60' });
    await bench.clock.untilSleeping();
    const closing = hub.app.close();
    expect((await waiting).json()).toEqual({ messages: [], next_since: null });
    await closing;
  });
});

describe('the tools over HTTP', () => {
  async function rpc(method: string, params: object, headers: Record<string, string> = {}) {
    const response = await hub.app.inject({
      method: 'POST',
      url: '/mcp/inbox',
      headers: {
        ...host,
        authorization: `Bearer ${BEARER}`,
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      payload: { jsonrpc: '2.0', id: 1, method, params },
    });
    const text = response.headers['content-type']?.includes('event-stream')
      ? (/^data: (.*)$/m.exec(response.body)?.[1] ?? '{}')
      : response.body;
    return { status: response.statusCode, body: JSON.parse(text) };
  }
  const tool = async (name: string, args: object, headers: Record<string, string> = { 'x-agent-id': 'a1' }) =>
    (await rpc('tools/call', { name, arguments: args }, headers)).body.result;

  test('list, read, answer and mark done, as over REST', async () => {
    await bench.accept(messageEvent({ text: 'hello', timestampMs: 1_600_000_000_000 }));
    const listed = await tool('list_unread_messages', {});
    const [message] = listed.structuredContent.messages;
    expect(message.text).toBe('hello');
    expect(JSON.parse(listed.content[0].text)).toEqual(listed.structuredContent);
    const sent = await tool('send_message', {
      channel_id: message.channel_id,
      text: 'hi',
      reply_to: message.id,
    });
    expect(sent.structuredContent).toEqual({
      message_id: expect.stringMatching(/^msg_/),
      sent_at: expect.stringMatching(/Z$/),
    });
    const context = await tool('get_message_context', {
      channel_id: message.channel_id,
      around_message_id: message.id,
    });
    expect(context.structuredContent.messages.map(({ text }: { text: string }) => text)).toEqual([
      'hello',
      'hi',
    ]);
    const marked = await tool('mark_read', { message_ids: [message.id, message.id] });
    expect(marked.structuredContent).toEqual({ marked_count: 1 });
    expect((await tool('list_unread_messages', {})).structuredContent.messages).toEqual([]);
  });

  test('the same text twice is two messages: a key among the headers is no call’s own', async () => {
    await bench.accept(messageEvent());
    for (let round = 0; round < 2; round += 1)
      await tool(
        'send_message',
        { channel_id: 'local:team', text: 'hi' },
        { 'x-agent-id': 'a1', 'idempotency-key': 'k' },
      );
    expect(hub.platform.calls).toBe(2);
  });

  test('refusals are tool errors with the envelope; only the credential is one of HTTP', async () => {
    const refused = async (name: string, args: object, headers?: Record<string, string>) => {
      const { isError, structuredContent } = await tool(name, args, headers);
      return [isError, structuredContent.error.code, structuredContent.error.status];
    };
    expect(await refused('list_unread_messages', {}, {})).toEqual([true, 'AGENT_ID_REQUIRED', 400]);
    expect(await refused('list_unread_messages', { wait: 5 })).toEqual([true, 'VALIDATION_FAILED', 422]);
    expect(await refused('list_unread_messages', { limit: 0 })).toEqual([true, 'VALIDATION_FAILED', 422]);
    expect(await refused('mark_read', { message_ids: ['x'] })).toEqual([true, 'VALIDATION_FAILED', 422]);
    expect(await refused('send_message', { channel_id: 'local:no', text: '' })).toEqual([
      true,
      'CHANNEL_NOT_FOUND',
      404,
    ]);
    expect((await rpc('tools/list', {}, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await rpc('tools/list', {}, { authorization: `Bearer ${ADMIN_KEY}` })).status).toBe(403);
    expect((await rpc('tools/list', {}, { cookie: 'postern_session=good', authorization: '' })).status).toBe(
      401,
    );
  });
});

describe('typing', () => {
  test('is shown where the platform can, and nothing depends on it', async () => {
    const shown: string[] = [];
    const platform = fakeConnector({
      async typing(channelId) {
        shown.push(channelId);
        if (shown.length === 2) throw new Error('the platform is down');
        if (shown.length === 3) await new Promise(() => undefined);
      },
    });
    hub = inboxHub(bench, platform);
    await bench.accept(messageEvent());
    const type = (channel_id: string) =>
      hub.call({ method: 'POST', url: '/typing', payload: { channel_id } });
    const first = await type('local:team');
    expect([first.statusCode, first.body]).toEqual([204, '']);
    expect((await type('local:team')).statusCode).toBe(204);
    const hanging = type('local:team');
    await bench.clock.untilSleeping();
    await bench.clock.advance(10_000);
    expect((await hanging).statusCode).toBe(204);
    expect(code(await type('local:nowhere'))).toEqual([404, 'CHANNEL_NOT_FOUND']);
    expect(shown).toEqual(['local:team', 'local:team', 'local:team']);
    hub = inboxHub(bench);
    expect((await type('local:team')).statusCode).toBe(204);
  });
});
