import { appendFileSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fakeClock } from '@postern/kit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../../testing/bench.ts';
import { ChatDb, nanoseconds } from '../../testing/fakes/imessage/chat-db.ts';
import { binaryPlist } from '../../testing/fakes/imessage/plist-writer.ts';
import { typedstream } from '../../testing/fakes/imessage/typedstream-writer.ts';
import type { InboundEvent } from '../connector.ts';
import { ChatDatabase } from './database/chat-database.ts';
import { Follower } from './inbound/follower.ts';
import { SentLedger } from './ledger.ts';

const ANA = '+15551230001';
const OWN = '+15551239999';
const MINUTE = 60_000;

type Message = Extract<InboundEvent, { kind: 'message' }>;

/** A database that is followed since before anything was written, one look at a time. */
async function followed(options: { groups?: boolean } = {}) {
  const path = join(await freshFolder(), 'chat.db');
  const clock = fakeClock(Date.now() * 1_000);
  const ledger = new SentLedger(clock);
  let db = new ChatDb(path);
  onTestFinished(() => db.close());
  const direct = db.directChat(ANA, { columns: { account_login: `P:${OWN}` } });
  const group = db.groupChat('any;+;chat1', [ANA, 'ben@example.com'], { name: 'Team' });
  const batches: { events: readonly InboundEvent[]; cursor: string }[] = [];
  const sink = {
    async accept(events: readonly InboundEvent[], cursor: string) {
      batches.push({ events, cursor });
    },
    channelCursors: async () => new Map(),
    newestIn: async () => [],
  };
  const settings = { chatDb: path, region: 'US', groups: options.groups ?? true };
  let database = new ChatDatabase(path);
  onTestFinished(() => database.close());
  let follower = new Follower(settings, { clock, ledger, sink }, null);
  await follower.begin(database);
  return {
    get db() {
      return db;
    },
    path,
    clock,
    ledger,
    direct,
    group,
    /** What one look hands over. */
    async look(): Promise<InboundEvent[]> {
      const before = batches.length;
      await follower.look(database);
      return batches.slice(before).flatMap(({ events }) => [...events]);
    },
    async messages(): Promise<Message[]> {
      return (await this.look()).filter((event) => event.kind === 'message');
    },
    cursor: () => JSON.parse(batches.at(-1)?.cursor ?? 'null'),
    /** A new process, from the stored cursor; maybe on another database at the same path. */
    async restart(other?: () => ChatDb) {
      database.close();
      if (other) {
        db.close();
        db = other();
      }
      database = new ChatDatabase(path);
      follower = new Follower(settings, { clock, ledger, sink }, batches.at(-1)?.cursor ?? null);
      await follower.begin(database);
    },
    nowMs: () => Math.floor(clock.nowMicroseconds() / 1_000),
  };
}

async function bytesOf(message: Message | undefined, index = 0): Promise<string> {
  const bytes = await message!.attachments[index]!.open(new AbortController().signal);
  return (await buffer(bytes)).toString();
}

test('a direct message comes with the sender, the address as its channel and its time', async () => {
  const { db, direct, messages } = await followed().then((it) => ({ ...it, messages: () => it.messages() }));
  const atMs = Date.now() - 1_234;
  db.message({ chat: direct, from: ANA, text: 'hi', atMs });
  expect(await messages()).toMatchObject([
    {
      channel: { id: ANA, type: 'dm' },
      sender: { id: ANA, displayName: ANA },
      text: 'hi',
      timestampMs: atMs,
      raw: { service: 'iMessage', chat_guid: `iMessage;-;${ANA}` },
    },
  ]);
});

test('a group is known by the guid of its chat, and has its name', async () => {
  const it = await followed();
  it.db.message({ chat: it.group, from: 'Ben@Example.com', text: 'all' });
  expect(await it.messages()).toMatchObject([
    { channel: { id: 'any;+;chat1', type: 'group', name: 'Team' }, sender: { id: 'ben@example.com' } },
  ]);
});

test('groups that are not wanted are passed over', async () => {
  const it = await followed({ groups: false });
  it.db.message({ chat: it.group, from: ANA, text: 'all' });
  it.db.message({ chat: it.direct, from: ANA, text: 'you' });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['you']);
});

test('a chat that is neither a person nor a group is passed over', async () => {
  const it = await followed();
  const odd = it.db.groupChat('any;-;odd', [ANA], { style: null });
  it.db.message({ chat: odd, from: ANA, text: 'where am I' });
  expect(await it.messages()).toEqual([]);
});

test('what older versions wrote in seconds and in the text column reads the same', async () => {
  const it = await followed();
  const atMs = Math.floor(Date.now() / 1_000) * 1_000;
  const columns = { date: atMs / 1_000 - 978_307_200, text: 'old style', attributedBody: null };
  it.db.message({ chat: it.direct, from: ANA, columns });
  expect(await it.messages()).toMatchObject([{ text: 'old style', timestampMs: atMs }]);
});

test('a number in another form is the same person', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: '(555) 123-0001', text: 'me again' });
  expect(await it.messages()).toMatchObject([{ sender: { id: ANA } }]);
});

test.each(['SMS', 'RCS'])('the sender of an %s is another than that of iMessage', async (service) => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: 'it is me, really', service });
  expect(await it.messages()).toMatchObject([
    { sender: { id: `${service.toLowerCase()}:${ANA}` }, channel: { id: ANA }, raw: { service } },
  ]);
});

test('tapbacks, stickers on a message, votes and changes of a group are no messages', async () => {
  const it = await followed();
  for (const type of [1_000, 2_000, 2_005, 2_006, 2_007, 3_000, 3_006, 4_000]) {
    const columns = { associated_message_type: type, associated_message_guid: 'p:0/ABC' };
    it.db.message({ chat: it.direct, from: ANA, text: 'Loved “hi”', columns });
  }
  it.db.message({ chat: it.group, from: ANA, text: 'named it', columns: { item_type: 2 } });
  expect(await it.look()).toEqual([]);
  expect(it.cursor().row).toBe(9);
});

test('an answer names what it answers, and not what merely stood before it', async () => {
  const it = await followed();
  const first = it.db.message({ chat: it.direct, from: ANA, text: 'question' });
  it.db.message({ chat: it.direct, from: ANA, text: 'answer', replyTo: first });
  it.db.message({ chat: it.direct, from: ANA, text: 'next', columns: { reply_to_guid: first } });
  expect((await it.messages()).map(({ replyToPlatformId }) => replyToPlatformId)).toEqual([
    null,
    first,
    null,
  ]);
});

test('a subject stands above the text, and mentions and links are noted', async () => {
  const it = await followed();
  it.db.message({
    chat: it.group,
    from: ANA,
    columns: { subject: 'Lunch' },
    text: [
      { text: 'Ben', attributes: { __kIMMentionConfirmedMention: 'ben@example.com' } },
      { text: ' see ' },
      { text: 'here', attributes: { __kIMLinkAttributeName: new URL('https://example.com/') } },
    ],
  });
  expect(await it.messages()).toMatchObject([
    {
      text: 'Lunch\nBen see here',
      raw: { mentions: ['ben@example.com'], links: ['https://example.com/'] },
    },
  ]);
});

test('a text and its link that Messages sends apart are two messages in their order', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: 'look at this' });
  const columns = { balloon_bundle_id: 'com.apple.messages.URLBalloonProvider' };
  it.db.message({ chat: it.direct, from: ANA, text: 'https://example.com/a', columns });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['look at this', 'https://example.com/a']);
});

test('a link that Messages wrote twice is one message', async () => {
  const it = await followed();
  const columns = { balloon_bundle_id: 'com.apple.messages.URLBalloonProvider' };
  it.db.message({ chat: it.direct, from: ANA, text: 'https://example.com/a' });
  it.db.message({ chat: it.direct, from: ANA, text: 'https://example.com/a', columns });
  expect(await it.messages()).toHaveLength(1);
});

test('a change and a taking back are told once each', async () => {
  const it = await followed();
  const changed = it.db.message({ chat: it.direct, from: ANA, text: 'at nine' });
  const gone = it.db.message({ chat: it.direct, from: ANA, text: 'oh no' });
  await it.look();
  it.db.edit(changed, 'at ten');
  it.db.unsend(gone);
  expect(await it.look()).toMatchObject([
    { kind: 'edit', platformId: changed, text: 'at ten' },
    { kind: 'delete', platformId: gone },
  ]);
  it.db.message({ chat: it.direct, from: ANA, text: 'and on' });
  expect(await it.look()).toMatchObject([{ kind: 'message', text: 'and on' }]);
  it.db.edit(changed, 'at eleven');
  expect(await it.look()).toMatchObject([{ kind: 'edit', text: 'at eleven' }]);
});

test('a change whose text stands in the history alone is found there', async () => {
  const it = await followed();
  const guid = it.db.message({ chat: it.direct, from: ANA, text: 'at nine' });
  await it.look();
  it.db.edit(guid, 'at ten');
  it.db.run('UPDATE message SET attributedBody = NULL WHERE guid = ?', guid);
  expect(await it.look()).toMatchObject([{ kind: 'edit', text: 'at ten' }]);
});

test('where a part was taken back, the rest is a change', async () => {
  const it = await followed();
  const guid = it.db.message({ chat: it.direct, from: ANA, text: 'one two' });
  await it.look();
  it.db.run(
    'UPDATE message SET attributedBody = ?, message_summary_info = ?, date_edited = ?, date_retracted = ? WHERE guid = ?',
    typedstream('two'),
    binaryPlist({ rp: [0] }),
    nanoseconds(Date.now()),
    nanoseconds(Date.now()),
    guid,
  );
  expect(await it.look()).toMatchObject([{ kind: 'edit', text: 'two' }]);
});

test('what was taken back before it was seen does not arrive', async () => {
  const it = await followed();
  it.db.unsend(it.db.message({ chat: it.direct, from: ANA, text: 'never mind' }));
  expect(await it.messages()).toEqual([]);
});

test('a change that was made while the process was down is told after the restart', async () => {
  const it = await followed();
  const guid = it.db.message({ chat: it.direct, from: ANA, text: 'at nine' });
  await it.look();
  it.db.edit(guid, 'at ten');
  await it.restart();
  expect(await it.look()).toMatchObject([{ kind: 'edit', platformId: guid, text: 'at ten' }]);
});

test('own messages are passed over, and the cursor goes on', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, text: 'from my phone', fromMe: true });
  expect(await it.look()).toEqual([]);
  expect(it.cursor().row).toBe(1);
});

test('a message to oneself is one message, and the copy of what was sent is none', async () => {
  const it = await followed();
  const self = it.db.directChat(OWN, { columns: { last_addressed_handle: OWN } });
  const note = it.db.message({ chat: self, text: 'a note', fromMe: true });
  it.db.message({ chat: self, from: OWN, text: 'a note' });
  expect(await it.messages()).toMatchObject([{ platformId: note, text: 'a note' }]);
  it.ledger.note(OWN, { text: 'the “answer”' });
  it.db.message({ chat: self, text: 'the "answer"', fromMe: true });
  it.db.message({ chat: self, from: OWN, text: 'the "answer"' });
  expect(await it.messages()).toEqual([]);
});

test('what somebody else answers is heard, even in the words that were sent', async () => {
  const it = await followed();
  it.ledger.note(ANA, { text: 'ok' });
  it.db.message({ chat: it.direct, text: 'ok', fromMe: true });
  it.db.message({ chat: it.direct, from: ANA, text: 'ok' });
  expect(await it.messages()).toHaveLength(1);
});

test('what iCloud brings from before the first start is left alone', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: 'last week', atMs: it.nowMs() - 7 * 24 * 60 * MINUTE });
  it.db.message({ chat: it.direct, from: ANA, text: 'a minute ago', atMs: it.nowMs() - MINUTE });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['a minute ago']);
});

test('what came while the Mac slept arrives, however late', async () => {
  const it = await followed();
  const sentAt = it.nowMs() + MINUTE;
  await it.clock.advance(3 * 24 * 60 * MINUTE);
  it.db.message({ chat: it.direct, from: ANA, text: 'three days ago', atMs: sentAt });
  expect(await it.messages()).toHaveLength(1);
});

test('a row that Messages completes in steps arrives when it is complete, before what is behind it', async () => {
  const it = await followed();
  const guid = it.db.message({ chat: null, from: ANA, text: 'first' });
  it.db.message({ chat: it.direct, from: ANA, text: 'second' });
  expect(await it.messages()).toEqual([]);
  it.db.join(guid, it.direct);
  expect((await it.messages()).map(({ text }) => text)).toEqual(['first', 'second']);
});

test('a row that stays incomplete holds up nobody for long, and arrives when it is complete', async () => {
  const it = await followed();
  const guid = it.db.message({ chat: null, from: ANA, text: 'first' });
  it.db.message({ chat: it.direct, from: ANA, text: 'second' });
  expect(await it.messages()).toEqual([]);
  await it.clock.advance(2_000);
  expect((await it.messages()).map(({ text }) => text)).toEqual(['second']);
  await it.restart();
  it.db.join(guid, it.direct);
  expect((await it.messages()).map(({ text }) => text)).toEqual(['first']);
  expect(it.cursor().late).toEqual([]);
});

test('a row that is never completed is given up', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: null });
  await it.look();
  await it.clock.advance(2_000);
  await it.look();
  expect(it.cursor().late).toHaveLength(1);
  await it.clock.advance(10 * MINUTE);
  expect(await it.look()).toEqual([]);
  expect(it.cursor().late).toEqual([]);
});

test('a file comes with its message, and its mark leaves no trace in the text', async () => {
  const it = await followed();
  const files = [{ name: 'photo.png', bytes: Buffer.from('bytes') }];
  it.db.message({ chat: it.direct, from: ANA, text: 'see', files });
  const [message] = await it.messages();
  expect(message).toMatchObject({ text: 'see', attachments: [{ name: 'photo.png', sizeBytes: 5 }] });
  expect(await bytesOf(message)).toBe('bytes');
});

test('what belongs to the picture of a link is no file', async () => {
  const it = await followed();
  const hidden = [
    { name: 'A.pluginPayloadAttachment', bytes: Buffer.from('x') },
    { name: 'preview.png', bytes: Buffer.from('x'), isHidden: true },
  ];
  it.db.message({ chat: it.direct, from: ANA, text: 'https://example.com', files: hidden });
  expect(await it.messages()).toMatchObject([{ attachments: [], pending: [] }]);
});

test('a file that is still on its way follows its message, over a restart too', async () => {
  const it = await followed();
  const guid = it.db.message({
    chat: it.direct,
    from: ANA,
    text: 'two of them',
    files: [
      { name: 'here.png', bytes: Buffer.from('here') },
      { name: 'coming.mov', bytes: null, sizeBytes: 6 },
    ],
  });
  expect(await it.messages()).toMatchObject([
    { attachments: [{ name: 'here.png' }], pending: [{ name: 'coming.mov', sizeBytes: 6 }] },
  ]);
  await it.look();
  await it.restart();
  it.db.receive('coming.mov', Buffer.from('came!!'));
  const came = (await it.look()).filter((event) => event.kind === 'attachment');
  expect(came).toContainEqual(
    expect.objectContaining({
      platformId: guid,
      attachment: expect.objectContaining({ name: 'coming.mov' }),
    }),
  );
  expect(it.cursor().late).toEqual([]);
});

test('a file that Messages could not receive is given up at once, one that never comes after a day', async () => {
  const it = await followed();
  const files = (name: string) => [{ name, bytes: null, sizeBytes: 6 }];
  it.db.message({ chat: it.direct, from: ANA, files: files('failing.mov') });
  it.db.message({ chat: it.direct, from: ANA, files: files('waiting.mov') });
  await it.look();
  it.db.run("UPDATE attachment SET transfer_state = 6 WHERE transfer_name = 'failing.mov'");
  expect(await it.look()).toMatchObject([{ kind: 'attachment', attachment: null }]);
  await it.clock.advance(24 * 60 * MINUTE);
  expect(await it.look()).toMatchObject([{ kind: 'attachment', attachment: null }]);
  expect(it.cursor().late).toEqual([]);
});

test.each([
  ['outside of the folder', (folder: string) => join(folder, '..', 'secret.txt')],
  ['up and out of the folder', () => '~/Library/Messages/Attachments/../secret.txt'],
  ['through a link', (folder: string) => join(folder, 'link', 'secret.txt')],
  ['a link itself', (folder: string) => join(folder, 'alias.txt')],
  ['with a second name', (folder: string) => join(folder, 'second.txt')],
  ['a folder', (folder: string) => join(folder, 'sub')],
])('a file whose path is %s is not read', async (_, pathIn) => {
  const it = await followed();
  const folder = it.db.attachments;
  mkdirSync(join(folder, 'sub'), { recursive: true });
  const secret = join(dirname(folder), 'secret.txt');
  writeFileSync(secret, 'secret');
  symlinkSync(dirname(folder), join(folder, 'link'));
  symlinkSync(secret, join(folder, 'alias.txt'));
  writeFileSync(join(folder, 'sub', 'first.txt'), 'x');
  linkSync(join(folder, 'sub', 'first.txt'), join(folder, 'second.txt'));
  const files = [{ name: 'a.txt', bytes: null, path: pathIn(folder), transferState: 5, sizeBytes: 6 }];
  it.db.message({ chat: it.direct, from: ANA, text: 'see', files });
  const [message] = await it.messages();
  await expect(bytesOf(message)).rejects.toThrow();
});

test('a name of a file that is a way elsewhere stays a name', async () => {
  const it = await followed();
  const files = [{ name: '../../evil.sh', bytes: null, path: null as unknown as string, transferState: 5 }];
  it.db.message({ chat: it.direct, from: ANA, text: 'see', files });
  const [message] = await it.messages();
  await expect(bytesOf(message)).rejects.toThrow(/no file/);
});

test('one look takes in what is more than a page, and the cursor is that of the last page', async () => {
  const it = await followed();
  for (let index = 0; index < 450; index += 1)
    it.db.message({ chat: it.direct, from: ANA, text: `number ${index}` });
  expect((await it.messages()).map(({ text }) => text)).toEqual(
    Array.from({ length: 450 }, (_, index) => `number ${index}`),
  );
  expect(it.cursor().row).toBe(450);
});

test('rows that make no sense are passed over, and hold up nobody', async () => {
  const it = await followed();
  const columns = { attributedBody: Buffer.from('garbage'), date: 'yesterday', service: 7 };
  it.db.message({ chat: it.direct, from: ANA, columns, guid: 'odd', text: null });
  it.db.message({ chat: it.direct, from: ANA, text: 'fine' });
  await it.look();
  await it.clock.advance(2_000);
  expect((await it.messages()).map(({ text }) => text)).toEqual(['fine']);
});

test('another database in the same place is read from where the first one was left, by the time', async () => {
  const it = await followed();
  for (let index = 0; index < 20; index += 1)
    it.db.message({ chat: it.direct, from: ANA, text: `old ${index}` });
  await it.look();
  await it.restart(() => {
    for (const suffix of ['', '-wal', '-shm']) {
      try {
        renameSync(it.path + suffix, `${it.path}.old${suffix}`);
      } catch {
        appendFileSync(`${it.path}.old`, '');
      }
    }
    const other = new ChatDb(it.path);
    const chat = other.directChat(ANA);
    other.message({ chat, from: ANA, text: 'long ago', atMs: it.nowMs() - 14 * 24 * 60 * MINUTE });
    other.message({ chat, from: ANA, text: 'newer', atMs: it.nowMs() + MINUTE });
    return other;
  });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['newer']);
});

test('a database whose contents are replaced while it is open is read on by the time', async () => {
  const it = await followed();
  for (let index = 0; index < 20; index += 1)
    it.db.message({ chat: it.direct, from: ANA, text: `old ${index}` });
  await it.look();
  it.db.run('DELETE FROM message');
  it.db.run("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'message'");
  it.db.message({ chat: it.direct, from: ANA, text: 'long ago', atMs: it.nowMs() - 14 * 24 * 60 * MINUTE });
  it.db.message({ chat: it.direct, from: ANA, text: 'newer', atMs: it.nowMs() + MINUTE });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['newer']);
  it.db.message({ chat: it.direct, from: ANA, text: 'and on', atMs: it.nowMs() + MINUTE });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['and on']);
});

test('a ROWID that is given out again is another message', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: 'first' });
  it.db.message({ chat: it.direct, from: ANA, text: 'second' });
  await it.look();
  it.db.run('DELETE FROM message WHERE ROWID = 2');
  it.db.run("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'message'");
  it.db.message({ chat: it.direct, from: ANA, text: 'third' });
  // What is handed over again is known by its guid.
  expect((await it.messages()).at(-1)?.text).toBe('third');
});

test('that the newest message was deleted on the Mac changes nothing', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: 'first' });
  it.db.message({ chat: it.direct, from: ANA, text: 'second' });
  await it.look();
  it.db.run('DELETE FROM message WHERE ROWID = 2');
  expect(await it.messages()).toEqual([]);
  it.db.message({ chat: it.direct, from: ANA, text: 'third' });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['third']);
});

test('a clock that was ahead at the first start, and is set right, makes no history of what comes', async () => {
  const it = await followed();
  it.clock.set(it.clock.nowMicroseconds() - 3 * 24 * 60 * MINUTE * 1_000);
  it.db.message({ chat: it.direct, from: ANA, text: 'today', atMs: it.nowMs() });
  it.db.message({ chat: it.direct, from: ANA, text: 'last week', atMs: it.nowMs() - 7 * 24 * 60 * MINUTE });
  expect((await it.messages()).map(({ text }) => text)).toEqual(['today']);
});

test('a clock that is set back holds up no row behind one that is not complete', async () => {
  const it = await followed();
  it.db.message({ chat: null, from: ANA, text: 'first' });
  it.db.message({ chat: it.direct, from: ANA, text: 'second' });
  expect(await it.messages()).toEqual([]);
  it.clock.set(it.clock.nowMicroseconds() - 5 * 60 * MINUTE * 1_000);
  await it.messages();
  await it.clock.advance(2_000);
  expect((await it.messages()).map(({ text }) => text)).toEqual(['second']);
});

test('a file that Messages writes down after its message follows it', async () => {
  const it = await followed();
  const text = [
    { text: 'see ' },
    { text: '\ufffc', attributes: { __kIMFileTransferGUIDAttributeName: 'at_0_LATE' } },
  ];
  const guid = it.db.message({ chat: it.direct, from: ANA, text });
  expect(await it.messages()).toMatchObject([{ text: 'see', pending: [{ key: 'at_0_LATE' }] }]);
  await it.restart();
  await it.look();
  it.db.attach(guid, { name: 'photo.png', bytes: Buffer.from('bytes'), guid: 'at_0_LATE' });
  expect((await it.look()).filter(({ kind }) => kind === 'attachment')).toMatchObject([
    { platformId: guid, key: 'at_0_LATE', attachment: { name: 'photo.png', sizeBytes: 5 } },
  ]);
  expect(it.cursor().late).toEqual([]);
});

test('a file that is named in a message and never written down is given up after a day', async () => {
  const it = await followed();
  const text = [{ text: '\ufffc', attributes: { __kIMFileTransferGUIDAttributeName: 'at_0_NEVER' } }];
  it.db.message({ chat: it.direct, from: ANA, text });
  expect(await it.messages()).toMatchObject([{ text: '', pending: [{ key: 'at_0_NEVER' }] }]);
  await it.clock.advance(24 * 60 * MINUTE);
  expect(await it.look()).toMatchObject([{ kind: 'attachment', key: 'at_0_NEVER', attachment: null }]);
  expect(it.cursor().late).toEqual([]);
});

test('a look writes nothing to the database', async () => {
  const it = await followed();
  it.db.message({ chat: it.direct, from: ANA, text: 'hi' });
  const before = it.db.all('PRAGMA data_version');
  await it.look();
  expect(it.db.all('PRAGMA data_version')).toEqual(before);
});
