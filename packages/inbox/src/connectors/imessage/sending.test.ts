import {
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@postern/kit';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../../testing/bench.ts';
import { ChatDb } from '../../testing/fakes/imessage/chat-db.ts';
import { QUICK_SENDS } from '../../testing/fakes/imessage/harness.ts';
import { fakeOsascript } from '../../testing/fakes/imessage/osascript-control.ts';
import type { OutboundFile, OutboundPart } from '../connector.ts';
import { SentLedger } from './ledger.ts';
import { osascriptRunner, type ScriptRunner } from './outbound/osascript.ts';
import { SEND_SCRIPT } from './outbound/script.ts';
import { Sender } from './outbound/sender.ts';

const ANA = '+15551230001';
const GROUP = 'any;+;chat1';

/** A Mac with a conversation with Ana and one with a group. */
async function mac(options: { around?: (run: ScriptRunner) => ScriptRunner; tryMs?: number } = {}) {
  const folder = await freshFolder();
  const chatDb = join(folder, 'chat.db');
  const db = new ChatDb(chatDb);
  onTestFinished(() => db.close());
  db.directChat(ANA);
  db.groupChat(GROUP, [ANA, 'ben@example.com']);
  const osascript = fakeOsascript(folder);
  const run = osascriptRunner(osascript.command, systemClock);
  const sender = new Sender({
    chatDb,
    region: 'US',
    clock: systemClock,
    ledger: new SentLedger(systemClock),
    run: options.around?.(run) ?? run,
    timing: { ...QUICK_SENDS, tryMs: options.tryMs ?? QUICK_SENDS.tryMs },
  });
  const send = (part: Partial<OutboundPart>, signal = new AbortController().signal) =>
    sender.send(
      {
        channelId: ANA,
        text: '',
        replyToPlatformId: null,
        attachments: [],
        allowMassMentions: false,
        nonce: 'nonce',
        ...part,
      },
      signal,
    );
  const own = () =>
    db.all(
      'SELECT m.guid, c.guid AS chat FROM message m LEFT JOIN chat_message_join j ON j.message_id = m.ROWID LEFT JOIN chat c ON c.ROWID = j.chat_id WHERE m.is_from_me = 1 ORDER BY m.ROWID',
    );
  return { folder, chatDb, db, osascript, send, own };
}

function file(name: string, text: string): OutboundFile {
  return {
    name,
    mime: 'text/plain',
    sizeBytes: Buffer.byteLength(text),
    open: async () => onePiece(text),
  };
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test('a message goes to the chat of the person, and its guid is what came to stand in the database', async () => {
  const it = await mac();
  const sent = await it.send({ text: 'hello' });
  expect(it.own()).toEqual([{ guid: sent.platformId, chat: `iMessage;-;${ANA}` }]);
  expect(sent.raw).toMatchObject({ state: 'sent', service: 'iMessage', guids: [sent.platformId] });
  expect(it.osascript.calls().map(({ values }) => values)).toEqual([
    ['-', 'chat', `iMessage;-;${ANA}`, 'text', 'hello'],
  ]);
});

test('a message to a group goes by the guid that the database has', async () => {
  const it = await mac();
  await it.send({ channelId: GROUP, text: 'all' });
  expect(it.own()).toMatchObject([{ chat: GROUP }]);
});

test.each([
  ['quotes', '" & (do shell script "touch /tmp/x") & "'],
  ['backslashes', 'C:\\new\\table \\" \\\\'],
  ['lines', 'one\nend tell\ntell application "Finder" to quit\r\n'],
  ['options', '-e display dialog "hi"'],
  ['the shell', '$(id) `id` ; rm -rf ~ | & > x'],
  ['AppleScript itself', 'end run¬\non run argv\nreturn «event sysoexec» "id"'],
  ['other scripts', '\u202eabc\u202c 👍🏽 \u2028 é e\u0301'],
])('a text with %s is handed over as a value, and the script stays as it is', async (_, text) => {
  const it = await mac();
  await it.send({ text });
  const [call] = it.osascript.calls();
  expect(call?.script).toBe(SEND_SCRIPT);
  expect(call?.values).toEqual(['-', 'chat', `iMessage;-;${ANA}`, 'text', text]);
});

test('nothing that is sent can stand in the script', () => {
  expect(SEND_SCRIPT).not.toMatch(/do shell script|run script|\$\{/);
});

test('a channel that no chat has is written to by its address, and a group without a chat not at all', async () => {
  const it = await mac();
  await it.send({ channelId: 'cleo@example.com', text: 'hello' });
  expect(it.osascript.calls()[0]?.values.slice(1, 3)).toEqual(['participant', 'cleo@example.com']);
  await expect(it.send({ channelId: 'any;+;gone', text: 'x' })).rejects.toMatchObject({ kind: 'failed' });
  expect(it.osascript.calls()).toHaveLength(1);
});

test('a chat that Messages does not have at hand is reached by the address', async () => {
  const it = await mac();
  it.osascript.order('no-such-chat', 'no-such-chat');
  await it.send({ text: 'hello' });
  expect(it.own()).toHaveLength(1);
  expect(it.osascript.calls().map(({ values }) => values[1])).toEqual(['chat', 'participant']);
});

test('the chat by iMessage is taken before the one by SMS', async () => {
  const it = await mac();
  it.db.directChat(ANA, { service: 'SMS' });
  await it.send({ text: 'hello' });
  expect(it.own()).toMatchObject([{ chat: `iMessage;-;${ANA}` }]);
});

test('what failed before anything was sent is tried again', async () => {
  const it = await mac();
  it.osascript.order('refuse', 'refuse');
  await it.send({ text: 'hello' });
  expect(it.own()).toHaveLength(1);
  expect(it.osascript.calls()).toHaveLength(3);
});

test('what fails every time has failed, and nothing is there', async () => {
  const it = await mac();
  it.osascript.order('refuse', 'refuse', 'refuse');
  await expect(it.send({ text: 'hello' })).rejects.toMatchObject({ kind: 'failed' });
  expect(it.own()).toEqual([]);
  expect(it.osascript.calls()).toHaveLength(3);
});

test('what was sent although the script failed is not sent again', async () => {
  const it = await mac();
  it.osascript.order('send-and-fail');
  const sent = await it.send({ text: 'hello' });
  expect(it.own()).toMatchObject([{ guid: sent.platformId }]);
  expect(it.osascript.calls()).toHaveLength(1);
});

test('a script that hangs after it sent is ended, and the message counts', async () => {
  const it = await mac();
  it.osascript.order('send-and-hang');
  await it.send({ text: 'hello' });
  expect(it.osascript.calls()).toHaveLength(1);
});

test.each([
  ['hangs and has sent nothing', 'hang'],
  ['got no answer from Messages', 'time-out'],
  ['says that it sent and did nothing', 'nothing'],
  ['wrote a row that belongs to no chat', 'ghost'],
  ['failed and wrote a row that belongs to no chat', 'ghost-and-fail'],
  ['sent something else', 'other-text'],
] as const)('of a script that %s nobody knows, and it is not run again', async (_, order) => {
  const it = await mac({ tryMs: order === 'hang' ? 4_000 : 10_000 });
  it.osascript.order(order);
  await expect(it.send({ text: 'hello' })).rejects.toMatchObject({ kind: 'unknown' });
  expect(it.osascript.calls().length).toBeLessThanOrEqual(1);
});

test('a message that stands there as not delivered has failed', async () => {
  const it = await mac();
  it.osascript.order('undeliverable');
  await expect(it.send({ text: 'hello' })).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('22'),
  });
});

test('the same text twice is two messages, each with its own guid', async () => {
  const it = await mac();
  const sent = await Promise.all([it.send({ text: 'ok' }), it.send({ text: 'ok' })]);
  expect(new Set(sent.map(({ platformId }) => platformId)).size).toBe(2);
  expect(it.own().map(({ guid }) => guid)).toEqual(sent.map(({ platformId }) => platformId));
});

test('quotes that Messages makes round do not hide a message', async () => {
  const it = await mac({
    around: () => async (_script, values) => {
      it.db.message({ chat: 1, text: values[3]!.replace(/"(.+)"/, '“$1”').replace("'", '’'), fromMe: true });
      return { kind: 'done' };
    },
  });
  await expect(it.send({ text: `it's "fine"` })).resolves.toBeDefined();
});

test('without the database nothing is sent, since it could not be verified', async () => {
  const it = await mac();
  renameSync(it.chatDb, `${it.chatDb}.away`);
  await expect(it.send({ text: 'hello' })).rejects.toMatchObject({ kind: 'failed' });
  expect(it.osascript.calls()).toEqual([]);
});

test('a program that is not there is said, and nothing is sent', async () => {
  const it = await mac({ around: () => osascriptRunner(['/nowhere/osascript'], systemClock) });
  await expect(it.send({ text: 'hello' })).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('osascript cannot be started'),
  });
});

test('an empty message is refused before anything is asked', async () => {
  const it = await mac();
  await expect(it.send({ text: ' \n' })).rejects.toMatchObject({ kind: 'failed' });
  expect(it.osascript.calls()).toEqual([]);
});

test('a file goes as a copy beneath the attachments, and the copy is gone when it is out', async () => {
  const it = await mac();
  const sent = await it.send({ text: 'look', attachments: [file('plan & "more".txt', 'the plan')] });
  expect(sent.raw.guids).toHaveLength(2);
  const [first] = it.osascript.calls();
  expect(first?.values[3]).toBe('file');
  expect(first?.values[4]).toMatch(/Attachments\/postern\/send-\w+\/plan & "more"\.txt$/);
  const [row] = it.db.all('SELECT filename FROM attachment');
  expect(readFileSync(String(row?.filename).replace('~/Library/Messages', it.folder), 'utf8')).toBe(
    'the plan',
  );
  expect(readdirSync(join(it.db.attachments, 'postern'))).toEqual([]);
});

test.each([
  ['../../../escape.txt', '_.._.._escape.txt'],
  ['.hidden', 'hidden'],
  ['a\nb:c.txt', 'a_b_c.txt'],
  [`${'ü'.repeat(200)}.txt`, `${'ü'.repeat(98)}.txt`],
])('a file called %j is sent as %j', async (name, expected) => {
  const it = await mac();
  await it.send({ attachments: [file(name, 'x')] });
  expect(it.osascript.calls()[0]?.values[4]?.split('/').at(-1)).toBe(expected);
});

test('a file with more bytes than it says is not sent', async () => {
  const it = await mac();
  const lying = { ...file('a.txt', 'longer than said'), sizeBytes: 3 };
  await expect(it.send({ attachments: [lying] })).rejects.toMatchObject({ kind: 'failed' });
  expect(it.osascript.calls()).toEqual([]);
  expect(readdirSync(join(it.db.attachments, 'postern'))).toEqual([]);
});

test.each([
  ['replaced', (path: string) => writeFileSync(`${path}.new`, 'evil') ?? renameSync(`${path}.new`, path)],
  ['renamed', (path: string) => renameSync(path, `${path}.old`)],
  ['linked', (path: string) => linkSync(path, `${path}.link`)],
  ['turned into a link', (path: string) => unlinkSync(path) ?? symlinkSync('/etc/hostname', path)],
  ['changed', (path: string) => writeFileSync(path, 'changed to more')],
])('a file that is %s before it is sent is not sent', async (_, meddle) => {
  let tries = 0;
  const it = await mac({
    // The first try fails, and somebody meddles before the second.
    around: (run) => async (script, values, options) => {
      tries += 1;
      if (tries > 1) return run(script, values, options);
      meddle(values[3]!);
      return { kind: 'failed', error: -10_000, message: 'busy' };
    },
  });
  await expect(it.send({ attachments: [file('a.txt', 'good')] })).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('changed by another program'),
  });
  expect(it.own()).toEqual([]);
});

test('of a file that is replaced while it is sent nobody knows what was sent', async () => {
  const it = await mac({
    around: (run) => async (script, values, options) => {
      unlinkSync(values[3]!);
      writeFileSync(values[3]!, 'evil');
      return run(script, values, options);
    },
  });
  await expect(it.send({ attachments: [file('a.txt', 'good')] })).rejects.toMatchObject({ kind: 'unknown' });
});

test('a text that fails behind a file that was sent is not said to have failed', async () => {
  const it = await mac();
  it.osascript.order('send', 'refuse', 'refuse', 'refuse');
  await expect(it.send({ text: 'look', attachments: [file('a.txt', 'x')] })).rejects.toMatchObject({
    kind: 'unknown',
  });
});

test('a send that is given up is ended, and nobody knows', async () => {
  const it = await mac();
  it.osascript.order('hang');
  const stop = new AbortController();
  const sending = it.send({ text: 'hello' }, stop.signal);
  const started = async () => {
    while (it.osascript.calls().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await started();
  stop.abort();
  await expect(sending).rejects.toMatchObject({ kind: 'unknown' });
});

test("secrets of the hub's surroundings do not reach the program", async () => {
  process.env.AMC_BEARER_TOKEN = 'do not tell';
  onTestFinished(() => {
    delete process.env.AMC_BEARER_TOKEN;
  });
  const run = osascriptRunner(['/bin/sh', '-c', 'env >&2; exit 1'], systemClock);
  const outcome = await run('', [], { deadlineMs: 10_000, signal: new AbortController().signal });
  expect(JSON.stringify(outcome)).not.toContain('do not tell');
});
