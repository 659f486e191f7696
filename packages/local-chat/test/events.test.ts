import { connect } from 'node:net';
import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { ChatMessage } from '../src/index.ts';
import { ADA, harness } from './harness.ts';

describeEngines('the event stream', (engine) => {
  test('tells each change with its data, live and in order', async () => {
    const { channel, post, call, events, chat } = await harness(engine);
    const channel_id = await channel('general');
    await post({ channel_id, text: 'before the stream' });
    const reader = await events();
    const message = await post({ channel_id, text: 'first' });
    const reacted = await call('POST', `/messages/${message.id}/reactions`, { user_id: 'ben', emoji: '+1' });
    await call('POST', `/messages/${message.id}/reactions`, { user_id: 'ben', emoji: '+1' });
    const unreacted = await call('DELETE', `/messages/${message.id}/reactions/+1?user_id=ben`);
    await call('DELETE', `/messages/${message.id}/reactions/+1?user_id=ben`);
    const edited = await call('PATCH', `/messages/${message.id}`, { user_id: 'ada', text: 'second' });
    await reader.until((seen) => seen.length >= 4);
    await chat.typing(channel_id, { id: 'ben' });
    await reader.until((seen) => seen.length >= 5);
    const deleted = await call('DELETE', `/messages/${message.id}?user_id=ada`);
    await reader.until((seen) => seen.length >= 6);
    const reaction = { message_id: message.id, channel_id, user_id: 'ben', emoji: '+1' };
    expect(reader.events.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'message.created', data: message },
      { type: 'reaction.added', data: reaction },
      { type: 'reaction.removed', data: reaction },
      { type: 'message.updated', data: edited.body },
      { type: 'typing', data: { message_id: null, channel_id, user_id: 'ben', emoji: null } },
      { type: 'message.deleted', data: deleted.body },
    ]);
    expect(reacted.body.reactions).toHaveLength(1);
    expect(unreacted.body.reactions).toHaveLength(0);
    const ids = reader.events.flatMap(({ id }) => (id === null ? [] : [id]));
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right));
  });

  test('begins with an id to resume from and the headers of a stream', async () => {
    const { events, call } = await harness(engine);
    const reader = await events();
    await reader.until(() => reader.other.length > 0);
    expect(reader.other[0]).toMatch(/^retry: \d+\nid: \d+$/);
    const head = await call('HEAD', '/events');
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(head.headers.get('cache-control')).toBe('no-store');
  });

  test('resumed over and over, also across restarts, it loses nothing and doubles nothing', async () => {
    const chat = await harness(engine);
    const channel_id = await chat.channel('general');
    const posted: string[] = [];
    const seen: { id: number | null; text: string }[] = [];
    const first = await chat.events();
    await first.until(() => first.other.length > 0);
    let last = first.lastEventId();
    first.close();
    for (let round = 0; round < 6; round += 1) {
      for (let index = 0; index < 3; index += 1) {
        posted.push((await chat.post({ channel_id, text: `${round}.${index} away` })).text);
      }
      if (round % 2 === 1) await chat.restart();
      const reader = await chat.events(last);
      const busy = Array.from({ length: 10 }, (_, index) =>
        chat.post({ channel_id, text: `${round}.${index} live` }),
      );
      await Promise.all(busy);
      posted.push(...Array.from({ length: 10 }, (_, index) => `${round}.${index} live`));
      // Cut at a place that is not the end.
      const enough = round === 5 ? posted.length - seen.length : 3 + round;
      await reader.until((events) => events.length >= enough);
      const taken = reader.events.slice(0, enough);
      seen.push(...taken.map(({ id, data }) => ({ id, text: data.text as string })));
      last = taken.at(-1)!.id!;
      reader.close();
    }
    expect(seen.map(({ text }) => text).sort()).toEqual([...posted].sort());
    const ids = seen.map(({ id }) => id!);
    expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right));
  });

  test('an id of before everything gives all there was', async () => {
    const { channel, post, call, events } = await harness(engine);
    const channel_id = await channel('general');
    const message = await post({ channel_id, text: 'draft' });
    const edited = await call('PATCH', `/messages/${message.id}`, { user_id: 'ada', text: 'final' });
    const reader = await events(0);
    await reader.until((seen) => seen.length >= 2);
    expect(reader.events.map(({ data }) => data)).toEqual([message, edited.body]);
  });

  test('what was deleted is not told again', async () => {
    const { channel, post, call, events } = await harness(engine);
    const message = await post({ channel_id: await channel('general'), text: 'my password is swordfish' });
    await call('PATCH', `/messages/${message.id}`, { user_id: 'ada', text: 'swordfish, I said' });
    const deleted = await call('DELETE', `/messages/${message.id}?user_id=ada`);
    const reader = await events(0);
    await reader.until((seen) => seen.length >= 3);
    expect(reader.events.map(({ type }) => type)).toEqual([
      'message.created',
      'message.updated',
      'message.deleted',
    ]);
    expect(JSON.stringify(reader.events)).not.toContain('swordfish');
    expect(reader.events[0]!.data).toEqual(deleted.body);
  });

  test('an id that is none is refused, one from the future waits for what comes', async () => {
    const { channel, post, call, events } = await harness(engine);
    const channel_id = await channel('general');
    const refused = await call('GET', '/events', undefined, { 'last-event-id': 'yesterday' });
    expect(refused.body).toMatchObject({ status: 422, code: 'validation_failed' });
    const reader = await events(999_999_999);
    const message = await post({ channel_id });
    await reader.until((seen) => seen.length > 0);
    expect(reader.events[0]!.data).toEqual(message);
  });

  test('changes of one process are told by the other', async () => {
    if (engine === 'sqlite') return;
    const here = await harness(engine);
    const there = await here.another();
    const channel_id = await here.channel('general');
    const reader = await there.events();
    const message = await here.post({ channel_id });
    await here.chat.typing(channel_id, ADA);
    await reader.until((seen) => seen.length >= 2);
    expect(reader.events.find(({ type }) => type === 'message.created')!.data.id).toBe(message.id);
    expect(reader.events.some(({ type }) => type === 'typing')).toBe(true);
  });

  test('a log that was cut still tells every message, edit and deletion', async () => {
    const { channel, post, call, events, store } = await harness(engine, { limits: { eventsKept: 5 } });
    const channel_id = await channel('general');
    const kept = await post({ channel_id, text: 'kept' });
    const reader = await events();
    await reader.until(() => reader.other.length > 0);
    const away = reader.lastEventId();
    reader.close();
    await call('PATCH', `/messages/${kept.id}`, { user_id: 'ada', text: 'changed' });
    const gone = await post({ channel_id, text: 'gone' });
    await call('DELETE', `/messages/${gone.id}?user_id=ada`);
    const posted: ChatMessage[] = [];
    for (let index = 0; index < 10; index += 1) posted.push(await post({ channel_id, text: String(index) }));
    const log = await store.db.selectFrom('chat_events').select('position').execute();
    expect(log.length).toBeLessThanOrEqual(6);
    const back = await events(away);
    await back.until((seen) => seen.some(({ data }) => data.id === posted.at(-1)!.id));
    const latest = new Map(back.events.map(({ data }) => [data.id as string, data]));
    const { body } = await call('GET', `/messages?channel_id=${channel_id}`);
    expect([...latest.values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(body.data);
    const ids = back.events.map(({ id }) => id!);
    expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right));
  });

  test('beats while nothing happens, and finds by itself what nobody told it', async () => {
    const clock = fakeClock();
    const { channel, events, store } = await harness(engine, { clock });
    const channel_id = await channel('general');
    const reader = await events();
    await reader.until(() => reader.other.length > 0);
    await clock.untilSleeping();
    await clock.advance(15_000);
    await reader.until(() => reader.other.includes(': beat'));
    // As another process would write it, whose notification was lost.
    await store.transaction(async (tx) => {
      const row = await tx
        .updateTable('chat_sequence')
        .set((expression) => ({ value: expression('value', '+', 1) }))
        .returning('value')
        .executeTakeFirstOrThrow();
      const data = { message_id: 'post_1', channel_id, user_id: 'ada', emoji: 'eyes' };
      await tx
        .insertInto('chat_events')
        .values({
          position: row.value,
          type: 'reaction.added',
          channel_id,
          message_id: 'post_1',
          data: JSON.stringify(data),
        })
        .execute();
    });
    expect(reader.events).toEqual([]);
    await clock.untilSleeping();
    await clock.advance(15_000);
    await reader.until((seen) => seen.length > 0);
    expect(reader.events[0]!.type).toBe('reaction.added');
  });

  test('a client that takes nothing is dropped, and the others do not notice', async () => {
    const clock = fakeClock();
    const chat = await harness(engine, { clock, limits: { streamBufferBytes: 4_096 } });
    const channel_id = await chat.channel('general');
    const healthy = await chat.events();
    const { hostname, port } = new URL(chat.base);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.write(
      'GET /local/api/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0\r\n' +
        'Authorization: Bearer an-admin-key-of-the-tests-0123456789\r\n\r\n',
    );
    await new Promise<void>((resolve) => socket.once('readable', resolve));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    // Nobody reads the socket: kernel buffers fill, then ours, then the log is simply not read further.
    const text = 'x'.repeat(16_000);
    let posted = 0;
    for (; posted < 600; posted += 1) await chat.post({ channel_id, text });
    await healthy.until((seen) => seen.length >= posted);
    for (let beat = 0; beat < 4; beat += 1) {
      await clock.untilSleeping();
      await clock.advance(15_000);
    }
    socket.resume();
    await closed;
    await chat.post({ channel_id, text: 'after' });
    await healthy.until((seen) => seen.length > posted);
  });

  test('streams have a bound, and a closed one makes room', async () => {
    const { events, call } = await harness(engine, { limits: { streams: 2 } });
    await events();
    const second = await events();
    const refused = await call('GET', '/events');
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(refused.headers.get('retry-after')).toBe('5');
    second.close();
    const deadline = performance.now() + 10_000;
    for (;;) {
      const third = await call('HEAD', '/events');
      if (third.status === 200) break;
      if (performance.now() > deadline) throw new Error('the closed stream still counts');
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  test('ends when the server stops', async () => {
    const { events, stop } = await harness(engine);
    const reader = await events();
    await reader.until(() => reader.other.length > 0);
    await stop();
    await reader.ended;
  });
});
