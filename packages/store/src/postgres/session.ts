import { Socket } from 'node:net';
import pg from 'pg';
import type { Listeners } from '../listeners.ts';
import { backoffMilliseconds, pause, withDeadline } from '../pause.ts';
import type { HeldLease, StoreLog } from '../store.ts';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const CLOSE_MS = 2_000;

/**
 * A dead connection is noticed here within two of these, well before the server's side (three missed
 * probes after 15 s) gives its locks to somebody else.
 */
const HEARTBEAT_MS = 4_000;
const SERVER_KEEPALIVE =
  'SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3';

/**
 * The one long-lived connection of a store: it listens, and it holds the advisory locks of leases, which
 * PostgreSQL lets go of with the connection. It opens on first use, and again whenever it is lost.
 */
export class Session {
  readonly #settings: pg.ClientConfig;
  readonly #listeners: Listeners;
  readonly #log: StoreLog | undefined;
  readonly #closed = new AbortController();
  readonly #held = new Map<string, AbortController>();
  #client: pg.Client | undefined;
  /** Under the connection that is open or being opened. */
  #socket: Socket | undefined;
  /** The attempt to connect that is under way. */
  #opening: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #asked: Promise<void> = Promise.resolve();

  constructor(settings: pg.ClientConfig, listeners: Listeners, log: StoreLog | undefined) {
    this.#settings = settings;
    this.#listeners = listeners;
    this.#log = log;
  }

  /** Listens on one more channel, as soon as there is a connection. */
  listen(channel: string): void {
    this.#start();
    const client = this.#client;
    if (!client) return;
    // The callbacks look once, for what came before the server knew of the channel.
    void this.#tell(client, `LISTEN ${channel}`).then(() => this.#listeners.emit(channel, ''));
  }

  unlisten(channel: string): void {
    if (this.#client) void this.#tell(this.#client, `UNLISTEN ${channel}`);
  }

  async tryLease(name: string): Promise<HeldLease | undefined> {
    this.#start();
    await this.#opening;
    const client = this.#client;
    // The same connection would get its own lock again, so who is in this process is settled here.
    if (!client || this.#held.has(name)) return undefined;
    const lost = new AbortController();
    this.#held.set(name, lost);
    const sql = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked';
    try {
      const [row] = await this.#ask<{ locked: boolean }>(client, sql, [lockName(name)]);
      if (row?.locked && !lost.signal.aborted)
        return { lost: lost.signal, release: () => this.#release(name, lost) };
    } catch (error) {
      // Whether the server gave the lock is not known, so nobody could give it back.
      this.#drop(client, error);
    }
    if (this.#held.get(name) === lost) this.#held.delete(name);
    return undefined;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#loseAll();
    if (this.#client) {
      const late = () => new Error('no answer');
      await withDeadline(CLOSE_MS, this.#client.end(), late).catch(() => undefined);
    }
    this.#socket?.destroy();
    await this.#running;
  }

  #start(): void {
    if (!this.#closed.signal.aborted) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closed.signal.aborted) {
      const socket = new Socket();
      const client = new pg.Client({ ...this.#settings, stream: () => socket, query_timeout: HEARTBEAT_MS });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      // Without a listener an error would end the process; what it means is seen by the end of the connection.
      client.on('error', () => undefined);
      this.#socket = socket;
      this.#asked = Promise.resolve();
      try {
        const opening = this.#open(client);
        this.#opening = opening.catch(() => undefined);
        await opening;
        failures = 0;
        await Promise.race([ended, this.#heartbeat(client)]);
      } catch (error) {
        failures += 1;
        if (failures === 1) this.#log?.warn({ err: error }, 'the listening connection could not be opened');
      }
      this.#client = undefined;
      this.#loseAll();
      socket.destroy();
      if (!this.#closed.signal.aborted) {
        await pause(backoffMilliseconds(failures + 1, FIRST_RETRY_MS, LONGEST_RETRY_MS), this.#closed.signal);
      }
    }
  }

  async #open(client: pg.Client): Promise<void> {
    await client.connect();
    client.on('notification', ({ channel, payload }) => this.#listeners.emit(channel, payload ?? ''));
    await this.#ask(client, SERVER_KEEPALIVE);
    this.#client = client;
    for (const channel of this.#listeners.channels) await this.#ask(client, `LISTEN ${channel}`);
    this.#listeners.emitToAll();
  }

  /** Resolves when the connection no longer answers. */
  async #heartbeat(client: pg.Client): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await pause(HEARTBEAT_MS, this.#closed.signal);
      if (this.#client !== client) return;
      try {
        const late = () => new Error('no answer');
        await withDeadline(HEARTBEAT_MS, this.#ask(client, 'SELECT 1'), late);
      } catch {
        return;
      }
    }
  }

  /** One after the other; the driver's own queue of statements is going away. */
  #ask<Row extends pg.QueryResultRow>(
    client: pg.Client,
    sql: string,
    parameters: unknown[] = [],
  ): Promise<Row[]> {
    const asked = this.#asked.then(async () => (await client.query<Row>(sql, parameters)).rows);
    this.#asked = asked.then(
      () => undefined,
      () => undefined,
    );
    return asked;
  }

  async #tell(client: pg.Client, sql: string, parameters: unknown[] = []): Promise<void> {
    try {
      await this.#ask(client, sql, parameters);
    } catch (error) {
      this.#drop(client, error);
    }
  }

  /** Gives a connection up whose state is no longer known; the next one is opened by itself. */
  #drop(client: pg.Client, error: unknown): void {
    if (this.#client !== client || this.#closed.signal.aborted) return;
    this.#log?.warn({ err: error }, 'the listening connection failed; it is opened anew');
    this.#socket?.destroy();
  }

  async #release(name: string, lost: AbortController): Promise<void> {
    if (this.#held.get(name) !== lost) return;
    if (this.#client) {
      await this.#tell(this.#client, 'SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lockName(name)]);
    }
    if (this.#held.get(name) === lost) this.#held.delete(name);
  }

  #loseAll(): void {
    for (const lost of this.#held.values()) lost.abort();
    this.#held.clear();
  }
}

/** Keeps the leases' numbers apart from those of other advisory locks. */
function lockName(name: string): string {
  return `lease:${name}`;
}
