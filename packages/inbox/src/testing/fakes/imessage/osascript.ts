/**
 * Stands in for `osascript` and the Messages behind it: `node osascript.ts <control folder> - <values…>`. It notes
 * what it was called with, then does what the next order says, or sends.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { ChatDb } from './chat-db.ts';
import type { OsascriptCall, OsascriptOrder } from './osascript-control.ts';

const FOR_EVER_MS = 600_000;

const [control = '', dash, ...values] = process.argv.slice(2);
const script = readFileSync(0, 'utf8');
const orders = join(control, 'orders.json');
const waiting = JSON.parse(readFileSync(orders, 'utf8')) as OsascriptOrder[];
const order = waiting.shift() ?? 'send';
writeFileSync(orders, JSON.stringify(waiting));
const call: OsascriptCall = { values: [dash ?? '', ...values], script, order };
appendFileSync(join(control, 'calls.jsonl'), `${JSON.stringify(call)}\n`);

const [targetKind, target = '', payloadKind, payload = ''] = values;
const chatDb = join(control, '..', 'chat.db');
if (!existsSync(chatDb)) fail('Messages got an error: it is not running.', -600);

switch (order) {
  case 'send':
    // Without values it is only asked whether it may.
    if (values.length > 0) send();
    break;
  case 'refuse':
    fail('Messages got an error: AppleEvent handler failed.', -10_000);
    break;
  case 'refuse-automation':
    fail('Not authorized to send Apple events to Messages.', -1743);
    break;
  case 'no-such-chat':
    if (targetKind === 'chat') fail(`Messages got an error: Can’t get chat id "${target}".`, -1728);
    else send();
    break;
  case 'send-and-fail':
    send();
    fail('Messages got an error: AppleEvent handler failed.', -10_000);
    break;
  case 'send-and-hang':
    send();
    hang();
    break;
  case 'hang':
    hang();
    break;
  case 'time-out':
    fail('Messages got an error: AppleEvent timed out.', -1712);
    break;
  case 'nothing':
    break;
  case 'ghost':
    open((db) => db.message({ chat: null, from: target, service: 'SMS', fromMe: true }));
    break;
  case 'ghost-and-fail':
    open((db) => db.message({ chat: null, from: target, service: 'SMS', fromMe: true }));
    fail('Messages got an error: AppleEvent handler failed.', -10_000);
    break;
  case 'undeliverable':
    send({ error: 22, is_sent: 0 });
    break;
  case 'other-text':
    open((db) => db.message({ chat: chatOf(db), text: 'something else', fromMe: true }));
    break;
}

function send(columns: Record<string, number> = {}): void {
  open((db) => {
    const chat = chatOf(db);
    if (payloadKind === 'file') {
      const file = { name: basename(payload), bytes: readFileSync(payload) };
      db.message({ chat, files: [file], fromMe: true, columns });
      return;
    }
    db.message({ chat, text: payload, fromMe: true, columns });
    // What one sends to oneself comes back as a message from oneself.
    const [own] = db.all(
      'SELECT 1 FROM chat WHERE ROWID = ? AND last_addressed_handle = chat_identifier',
      chat,
    );
    if (own) db.message({ chat, text: payload, from: target.split(';').at(-1) ?? target });
  });
}

function chatOf(db: ChatDb): number {
  if (targetKind === 'chat') return db.chat(target);
  const [known] = db.all('SELECT ROWID AS row FROM chat WHERE chat_identifier = ?', target);
  return known ? Number(known.row) : db.directChat(target);
}

function open(write: (db: ChatDb) => void): void {
  const db = new ChatDb(chatDb);
  write(db);
  db.close();
}

function fail(message: string, number: number): never {
  process.stderr.write(`0:0: execution error: ${message} (${number})\n`);
  process.exit(1);
}

function hang(): void {
  setTimeout(() => {}, FOR_EVER_MS);
}
