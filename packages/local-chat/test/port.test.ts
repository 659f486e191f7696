import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { ChatEvent, ChatPort } from '../src/index.ts';
import { BEN, base64, harness } from './harness.ts';

const BOT = { id: 'postern', name: 'Postern' };

async function drain(port: ChatPort, from = 0, limit = 3): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  for (;;) {
    const page = await port.eventsAfter(events.at(-1)?.cursor ?? from, limit);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

describeEngines('the port', (engine) => {
  test('a nonce posts once, however often and whenever it is tried', async () => {
    const { channel, chat, call } = await harness(engine);
    const channelId = await channel('general');
    const attachments = [{ name: 'a', mime: 'text/plain', open: async () => chunks('bytes') }];
    const send = () => chat.post({ channelId, user: BOT, text: 'once', nonce: 'send-1', attachments });
    const [first, ...others] = await Promise.all([send(), send(), send(), send()]);
    for (const other of others) expect(other).toEqual(first);
    expect(await send()).toEqual(first);
    const { body } = await call('GET', `/messages?channel_id=${channelId}`);
    expect(body.data).toEqual([first]);
    const second = await chat.post({ channelId, user: BOT, text: 'again', nonce: 'send-2' });
    expect(second.id).not.toBe(first!.id);
    const theirs = await chat.post({ channelId, user: BEN, text: 'mine', nonce: 'send-1' });
    expect(theirs.id).not.toBe(first!.id);
    const elsewhere = chat.post({ channelId: await channel('other'), user: BOT, text: 'x', nonce: 'send-1' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'conflict' });
    expect(await drain(chat)).toHaveLength(3);
  });

  test('a duplicate leaves no bytes behind', async () => {
    const { channel, chat, store } = await harness(engine);
    const channelId = await channel('general');
    const attachments = [{ name: 'a', mime: 'text/plain', open: async () => chunks('bytes') }];
    const sends = Array.from({ length: 5 }, () =>
      chat.post({ channelId, user: BOT, text: '', nonce: 'n', attachments }),
    );
    await Promise.all(sends);
    expect(await store.db.selectFrom('chat_attachments').selectAll().execute()).toHaveLength(1);
    expect(await store.db.selectFrom('chat_loose_blobs').selectAll().execute()).toEqual([]);
  });

  test('a consumer with a cursor sees every change once', async () => {
    const { channel, chat, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const before = await chat.newestCursor();
    const message = await post({ channel_id });
    await call('POST', `/messages/${message.id}/reactions`, { user_id: 'ben', emoji: '+1' });
    await call('PATCH', `/messages/${message.id}`, { user_id: 'ada', text: 'other' });
    await call('DELETE', `/messages/${message.id}?user_id=ada`);
    const events = await drain(chat, before, 1);
    expect(events.map(({ type }) => type)).toEqual([
      'message.created',
      'reaction.added',
      'message.updated',
      'message.deleted',
    ]);
    expect(events.every(({ channelId }) => channelId === channel_id)).toBe(true);
    expect(await drain(chat, events[1]!.cursor)).toEqual(events.slice(2));
  });

  test('who waits wakes when something comes, at once when it is there already, or on the signal', async () => {
    const { channel, chat, post } = await harness(engine);
    const channel_id = await channel('general');
    const cursor = await chat.newestCursor();
    const never = new AbortController();
    const waiting = chat.waitForEvents(cursor, never.signal);
    await post({ channel_id });
    await waiting;
    await chat.waitForEvents(cursor, never.signal);
    const stopping = new AbortController();
    const idle = chat.waitForEvents(await chat.newestCursor(), stopping.signal);
    stopping.abort();
    await idle;
    await chat.waitForEvents(await chat.newestCursor(), stopping.signal);
  });

  test('files can be read back', async () => {
    const { channel, chat, post } = await harness(engine);
    const message = await post({
      channel_id: await channel('general'),
      attachments: [{ name: 'a.txt', mime: 'text/plain', data: base64('bytes') }],
    });
    const file = await chat.readAttachment(message.attachments[0]!.id);
    expect(file).toMatchObject({ name: 'a.txt', mime: 'text/plain', sizeBytes: 5 });
    const parts: Uint8Array[] = [];
    for await (const part of await file!.open()) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('bytes');
    expect(await chat.readAttachment('file_unknown')).toBeNull();
  });

  test('a channel that belongs to a service is made at the start and does not exist for the others', async () => {
    const owned = new Map([['local:bots', 'threads']]);
    const { chat, channel, post, call, restart } = await harness(engine, { ownedChannels: owned });
    const open = await channel('general');
    const inbox = chat.port();
    const threads = chat.port('threads');
    const cursor = await inbox.newestCursor();
    const waiting = inbox.waitForEvents(cursor, new AbortController().signal);
    const hidden = await post({ channel_id: 'local:bots' });
    expect(await inbox.eventsAfter(cursor, 10)).toEqual([]);
    const seen = await post({ channel_id: open });
    await waiting;
    const ids = (events: ChatEvent[]) => events.map(({ data }) => 'id' in data && data.id);
    expect(ids(await drain(inbox, cursor))).toEqual([seen.id]);
    expect(ids(await drain(threads, cursor))).toEqual([hidden.id]);
    expect(ids(await drain(chat, cursor))).toEqual([hidden.id, seen.id]);
    expect(ids(await drain(chat.port('nobody'), cursor))).toEqual([]);
    expect(await inbox.channel('local:bots')).toBeNull();
    expect(await threads.channel('local:bots')).toMatchObject({ id: 'local:bots', type: 'group' });
    expect(await threads.channel(open)).toMatchObject({ id: open });
    const refused = inbox.post({ channelId: 'local:bots', user: BOT, text: 'x' });
    await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    await expect(inbox.typing('local:bots', BOT)).rejects.toMatchObject({ code: 'not_found' });
    await expect(inbox.typing('local:nowhere', BOT)).rejects.toMatchObject({ code: 'not_found' });
    await inbox.typing(open, BOT);
    expect((await call('GET', '/channels')).body.data).toHaveLength(2);
    await restart();
    expect((await call('GET', '/channels')).body.data).toHaveLength(2);
  });

  test("a service reads and changes its own channels and nobody's, and not those of another", async () => {
    const owned = new Map([
      ['local:bots', 'threads'],
      ['local:theirs', 'other'],
    ]);
    const { chat, channel, post } = await harness(engine, { ownedChannels: owned });
    const open = await channel('general');
    const threads = chat.port('threads');
    const [mine, nobodys, hidden] = [
      await post({ channel_id: 'local:bots', text: 'needle one' }),
      await post({ channel_id: open, text: 'needle two' }),
      await post({ channel_id: 'local:theirs', text: 'needle three' }),
    ];
    expect((await threads.channels()).map(({ id }) => id)).toEqual(['local:bots', open]);
    expect(await threads.message(mine.id)).toEqual(mine);
    expect(await threads.message(nobodys.id)).toEqual(nobodys);
    expect(await threads.message(hidden.id)).toBeNull();
    expect(await threads.messages({ channelId: open, limit: 5 })).toEqual([nobodys]);
    const found = await threads.search({ query: 'needle', limit: 5 });
    expect(found.map(({ id }) => id)).toEqual([nobodys.id, mine.id]);
    await threads.react({ messageId: nobodys.id, userId: 'bot', emoji: 'eyes' });
    const reply = await threads.post({ channelId: 'local:bots', user: BOT, text: 'x', threadId: mine.id });
    await threads.edit({ messageId: reply.id, userId: BOT.id, text: 'y' });
    await threads.remove({ messageId: reply.id, userId: BOT.id });
    const gone = { code: 'not_found' };
    const change = { messageId: hidden.id, userId: 'ada' };
    await expect(threads.messages({ channelId: 'local:theirs', limit: 5 })).rejects.toMatchObject(gone);
    await expect(threads.edit({ ...change, text: 'x' })).rejects.toMatchObject(gone);
    await expect(threads.remove(change)).rejects.toMatchObject(gone);
    await expect(threads.react({ ...change, emoji: 'eyes' })).rejects.toMatchObject(gone);
    await expect(threads.unreact({ ...change, emoji: 'eyes' })).rejects.toMatchObject(gone);
    await expect(threads.join('local:theirs', BOT)).rejects.toMatchObject(gone);
    expect(await chat.message(hidden.id)).toEqual(hidden);
  });

  test('direct messages that belong to a service are told to it, and do not exist for the others', async () => {
    const owned = new Map([['local:bots', 'threads']]);
    const { chat, post, channel } = await harness(engine, { ownedChannels: owned, directOwner: 'threads' });
    const threads = chat.port('threads');
    const inbox = chat.port();
    const cursor = await threads.newestCursor();
    await chat.openDirect(BEN);
    const direct = await post({ channel_id: 'local:dm-ben', user: BEN });
    const asked = await post({ channel_id: 'local:bots' });
    const elsewhere = await post({ channel_id: await channel('general') });
    const ids = (events: ChatEvent[]) => events.map(({ data }) => 'id' in data && data.id);
    expect(ids(await drain(threads, cursor))).toEqual([direct.id, asked.id]);
    expect(ids(await drain(inbox, cursor))).toEqual([elsewhere.id]);
    expect(await inbox.channel('local:dm-ben')).toBeNull();
    expect(await inbox.message(direct.id)).toBeNull();
    expect((await inbox.search({ query: '', limit: 10 })).map(({ id }) => id)).not.toContain(direct.id);
    await expect(inbox.post({ channelId: 'local:dm-ben', user: BOT, text: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('direct messages that belong to nobody are told to the inbox, and services may write in them', async () => {
    const owned = new Map([['local:bots', 'threads']]);
    const { chat, post } = await harness(engine, { ownedChannels: owned });
    const threads = chat.port('threads');
    const cursor = await threads.newestCursor();
    const direct = await threads.openDirect(BEN, BOT);
    const sent = await threads.post({ channelId: direct.id, user: BOT, text: 'psst' });
    const answer = await post({ channel_id: direct.id, user: BEN });
    const ids = (events: ChatEvent[]) => events.map(({ data }) => 'id' in data && data.id);
    expect(ids(await drain(chat.port(), cursor))).toEqual([sent.id, answer.id]);
    expect(await drain(threads, cursor)).toEqual([]);
  });

  test('direct messages that the log has forgotten are told from the messages', async () => {
    const { chat, post } = await harness(engine, { limits: { eventsKept: 2 }, directOwner: 'threads' });
    const threads = chat.port('threads');
    const direct = await threads.openDirect(BEN, BOT);
    const sent = [];
    for (let index = 0; index < 6; index += 1) sent.push(await post({ channel_id: direct.id, user: BEN }));
    expect(await threads.oldestCursor()).toBeGreaterThan(0);
    const events = await drain(threads);
    expect(events.map(({ data }) => 'id' in data && data.id)).toEqual(sent.map(({ id }) => id));
  });

  test('people are found by id and by name, also when several have the same', async () => {
    const { chat, channel } = await harness(engine);
    const channelId = await channel('general');
    for (const id of ['u1', 'u2']) await chat.join(channelId, { id, name: 'Sam' });
    await chat.join(await channel('other'), { id: 'u1', name: 'Samuel' });
    expect(await chat.people({ id: 'u1' })).toEqual([{ id: 'u1', name: 'Samuel' }]);
    expect((await chat.people({ name: 'Sam' })).map(({ id }) => id)).toEqual(['u1', 'u2']);
    expect(await chat.people({ name: 'nobody' })).toEqual([]);
    await expect(chat.join('local:nowhere', BEN)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('callers in the process are checked as others are', async () => {
    const { channel, chat } = await harness(engine);
    const channelId = await channel('general');
    const refused: [Parameters<typeof chat.post>[0], string][] = [
      [{ channelId, user: { id: 'a b', name: 'A' }, text: 'x' }, 'validation_failed'],
      [{ channelId, user: { id: 'a', name: '' }, text: 'x' }, 'validation_failed'],
      [{ channelId, user: BOT, text: '' }, 'validation_failed'],
      [{ channelId, user: BOT, text: 'x'.repeat(16_001) }, 'validation_failed'],
      [{ channelId, user: BOT, text: 'x', nonce: '' }, 'validation_failed'],
      [{ channelId: 'local:nowhere', user: BOT, text: 'x' }, 'not_found'],
      [{ channelId, user: BOT, text: 'x', replyTo: 'post_1' }, 'not_found'],
    ];
    for (const [message, code] of refused) {
      await expect(chat.post(message)).rejects.toMatchObject({ code });
    }
    expect(await chat.messages({ channelId, limit: 10 })).toEqual([]);
  });

  test('text that storage cannot hold is kept as near as can be, the same now and later', async () => {
    const { channel, chat } = await harness(engine);
    const channelId = await channel('general');
    const message = await chat.post({ channelId, user: BOT, text: 'a\u0000b\ud83dc' });
    expect(message.text).toBe('a\ufffdb\ufffdc');
    expect(await chat.message(message.id)).toEqual(message);
    expect(await chat.message('post_unknown')).toBeNull();
  });
});

describeEngines('search', (engine) => {
  test('finds substrings whatever their case, newest first, and never what is deleted', async () => {
    const { channel, chat, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const first = await post({ channel_id, text: 'Straße nach ÖDE_100%' });
    const second = await post({ channel_id, text: 'noch eine straße', user: BEN });
    const gone = await post({ channel_id, text: 'straße, weg damit' });
    await call('DELETE', `/messages/${gone.id}?user_id=ada`);
    const find = async (query: string) =>
      (await chat.search({ query, limit: 10 })).map((message) => message.id);
    expect(await find('STRAßE')).toEqual([second.id, first.id]);
    expect(await find('öde')).toEqual([first.id]);
    expect(await find('e_1')).toEqual([first.id]);
    expect(await find('100%')).toEqual([first.id]);
    expect(await find('%')).toEqual([first.id]);
    expect(await find('x_1')).toEqual([]);
    expect(await find('')).toEqual([]);
  });

  test('from: narrows to an author by id or name, also alone', async () => {
    const { channel, chat, post } = await harness(engine);
    const channel_id = await channel('general');
    const long = { id: 'u3', name: 'Ada King' };
    const ada = await post({ channel_id, text: 'engine one' });
    const ben = await post({ channel_id, text: 'engine two', user: BEN });
    const king = await post({ channel_id, text: 'engine three', user: long });
    const find = async (query: string) =>
      (await chat.search({ query, limit: 10 })).map((message) => message.id);
    expect(await find('engine from:ada')).toEqual([ada.id]);
    expect(await find('from:@Ben')).toEqual([ben.id]);
    expect(await find('from:"Ada King" three')).toEqual([king.id]);
    expect(await find('from:ada from:ben')).toEqual([ben.id, ada.id]);
    expect(await find('from:nobody engine')).toEqual([]);
    expect(await find('two from:ada')).toEqual([]);
  });

  test('keeps to the channels and the number it is given', async () => {
    const { channel, chat, post } = await harness(engine);
    const here = await channel('here');
    const there = await channel('there');
    const first = await post({ channel_id: here, text: 'needle' });
    const second = await post({ channel_id: there, text: 'needle' });
    const ids = async (search: Parameters<typeof chat.search>[0]) =>
      (await chat.search(search)).map((message) => message.id);
    expect(await ids({ query: 'needle', channelIds: [here], limit: 10 })).toEqual([first.id]);
    expect(await ids({ query: 'needle', channelIds: [], limit: 10 })).toEqual([]);
    expect(await ids({ query: 'needle', limit: 1 })).toEqual([second.id]);
  });
});

async function* chunks(text: string): AsyncIterable<Uint8Array> {
  for (const character of text) yield Buffer.from(character);
}
