import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { connection } from './fake-imap-connection.ts';

/** A message in a mailbox of the fake server. */
export interface FakeMail {
  readonly uid: number;
  readonly raw: Buffer;
  readonly flags: Set<string>;
}

export interface FakeMailbox {
  uidValidity: number;
  uidNext: number;
  mails: FakeMail[];
}

/** What a command meets with: a refusal, a hang-up, or silence. */
export type ImapFault = 'no' | 'drop' | 'silence';

export interface FakeImapOptions {
  readonly user?: string;
  readonly password?: string;
  /** Said to be there beside IMAP4rev1; IDLE, MOVE and UIDPLUS unless given. */
  readonly extensions?: readonly string[];
}

/** An IMAP server on loopback (RFC 3501, IDLE, MOVE, UIDPLUS), as much of it as reading a mailbox takes. */
export class FakeImap extends EventEmitter<{ command: [string]; connected: []; disconnected: [] }> {
  readonly user: string;
  readonly password: string;
  readonly extensions: readonly string[];
  readonly mailboxes = new Map<string, FakeMailbox>();
  /** By the command's name, `UID FETCH`; stays until it is taken away. */
  readonly faults = new Map<string, ImapFault>();
  /** Every command line that came, credentials included. */
  readonly commands: string[] = [];
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  /** Told when a mailbox has got mail. */
  readonly watchers = new Set<(mailbox: string) => void>();

  constructor({
    user = 'bounces',
    password = 'right',
    extensions = ['IDLE', 'MOVE', 'UIDPLUS'],
  }: FakeImapOptions = {}) {
    super();
    this.user = user;
    this.password = password;
    this.extensions = extensions;
    this.mailboxes.set('INBOX', { uidValidity: 1, uidNext: 1, mails: [] });
  }

  async start(): Promise<void> {
    const server = createServer((socket) => {
      this.#open.add(socket);
      socket.once('close', () => {
        this.#open.delete(socket);
        this.emit('disconnected');
      });
      connection(this, socket);
      this.emit('connected');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve());
    this.hangUp();
    await closed;
  }

  hangUp(): void {
    for (const socket of this.#open) socket.destroy();
  }

  get port(): number {
    if (this.#server === undefined) throw new Error('It does not listen');
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Puts a message into a mailbox, and tells whoever idles there. */
  deliver(raw: Buffer, mailbox = 'INBOX'): number {
    const box = this.box(mailbox);
    const uid = box.uidNext++;
    box.mails.push({ uid, raw, flags: new Set() });
    for (const watcher of this.watchers) watcher(mailbox);
    return uid;
  }

  box(name: string): FakeMailbox {
    const box = this.mailboxes.get(name);
    if (box === undefined) throw new Error(`No mailbox ${name}`);
    return box;
  }

  /** How often a command came. */
  count(name: string): number {
    return this.commands.filter((line) => line.startsWith(name)).length;
  }
}
