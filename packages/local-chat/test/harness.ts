import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearerToken, createServer, problem, problemDialect, secretsEqual, silentLog } from '@postern/http';
import { type Clock, systemClock, systemRandom } from '@postern/kit';
import {
  type BlobStore,
  databaseBlobs,
  type Engine,
  fileBlobs,
  type Store,
  type StoreTables,
} from '@postern/store';
import { type FreshStore, freshStore } from '@postern/store/testing';
import { onTestFinished } from 'vitest';
import {
  type ChatLimits,
  type ChatMessage,
  type ChatService,
  type ChatTables,
  chatMigrations,
  createChatService,
  mountLocalChat,
} from '../src/index.ts';

const ADMIN_KEY = 'an-admin-key-of-the-tests-0123456789';

export const ADA = { id: 'ada', name: 'Ada' } as const;
export const BEN = { id: 'ben', name: 'Ben' } as const;

export interface HarnessOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<ChatLimits>;
  readonly ownedChannels?: ReadonlyMap<string, string>;
  readonly directOwner?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // The shape is what the test is about.
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every route
  readonly body: any;
}

/** A chat behind a real HTTP server on a real database. */
export interface Harness {
  readonly base: string;
  readonly chat: ChatService;
  readonly store: Store<Tables>;
  readonly blobs: BlobStore;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered>;
  post(fields: Record<string, unknown>): Promise<ChatMessage>;
  channel(name: string): Promise<string>;
  events(lastEventId?: number | string): Promise<EventReader>;
  /** Ends this process' part and begins again on the same database. */
  restart(): Promise<void>;
  /** A second process on the same database. */
  another(): Promise<Harness>;
  stop(): Promise<void>;
}

type Tables = StoreTables & ChatTables;

interface Ground {
  readonly fresh: FreshStore<Tables>;
  readonly blobsOf: (store: Store<Tables>) => Promise<BlobStore>;
}

export async function harness(engine: Engine, options: HarnessOptions = {}): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-chat-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = options.clock ?? systemClock;
  const fresh = await freshStore<Tables>(engine, { migrations: chatMigrations, clock });
  // As the product pairs them.
  const blobsOf = async (store: Store<Tables>) =>
    engine === 'sqlite' ? fileBlobs(folder, clock) : databaseBlobs(store);
  return begin({ fresh, blobsOf }, fresh.store, options);
}

async function begin(ground: Ground, store: Store<Tables>, options: HarnessOptions): Promise<Harness> {
  const blobs = await ground.blobsOf(store);
  let base = '';
  let chat: ChatService;
  let close = async () => {};

  async function start(): Promise<void> {
    const publicUrl = () => base;
    const dialect = problemDialect({ publicUrl });
    chat = createChatService({
      store,
      blobs,
      clock: options.clock ?? systemClock,
      random: systemRandom,
      publicUrl,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      ...(options.ownedChannels === undefined ? {} : { ownedChannels: options.ownedChannels }),
      ...(options.directOwner === undefined ? {} : { directOwner: options.directOwner }),
    });
    await chat.start();
    const app = createServer({ log: silentLog, publicUrl, dialectFor: () => dialect });
    mountLocalChat(app, {
      chat,
      dialect,
      log: silentLog,
      authenticate(request) {
        const token = bearerToken(request.headers.authorization);
        if (token === null || !secretsEqual(token, ADMIN_KEY)) throw problem('unauthorized', 'No admin key.');
        return null;
      },
    });
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    close = async () => {
      await app.close();
      await chat.stop();
    };
  }

  await start();
  let stopped = false;
  const self: Harness = {
    get base() {
      return base;
    },
    get chat() {
      return chat;
    },
    store,
    blobs,
    async call(method, path, body, headers = {}) {
      const response = await fetch(`${base}/local/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${ADMIN_KEY}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      const bytes = Buffer.from(await response.arrayBuffer());
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(bytes.toString()) : bytes,
      };
    },
    async post(fields) {
      const answered = await self.call('POST', '/messages', { user: ADA, text: 'hello', ...fields });
      if (answered.status !== 201) throw new Error(`${answered.status} ${JSON.stringify(answered.body)}`);
      return answered.body as ChatMessage;
    },
    async channel(name) {
      const answered = await self.call('POST', '/channels', { name, type: 'group' });
      return answered.body.id as string;
    },
    events: (lastEventId) => readEvents(base, lastEventId),
    async restart() {
      await close();
      await start();
    },
    async another() {
      return begin(ground, await ground.fresh.again(), options);
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      await close();
    },
  };
  onTestFinished(() => self.stop());
  return self;
}

export interface ReceivedEvent {
  readonly id: number | null;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of every event
  readonly data: any;
}

export interface EventReader {
  readonly events: ReceivedEvent[];
  /** What came that is no event: comments, the retry time. */
  readonly other: string[];
  /** The id a browser would resume after. */
  lastEventId(): number;
  /** Resolves when the condition holds; fails after ten seconds. */
  until(condition: (events: readonly ReceivedEvent[]) => boolean): Promise<void>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

const PATIENCE_MILLISECONDS = 10_000;

async function readEvents(base: string, lastEventId?: number | string): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(`${base}/local/api/events`, {
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
    },
    signal: controller.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status}`);
  const events: ReceivedEvent[] = [];
  const other: string[] = [];
  let last = 0;
  let notify = () => {};

  function block(text: string): void {
    const fields = new Map(
      text
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const),
    );
    const id = fields.get('id');
    if (id !== undefined) last = Number(id);
    const data = fields.get('data');
    if (data === undefined) other.push(text);
    else
      events.push({
        id: id === undefined ? null : Number(id),
        type: fields.get('event') ?? 'message',
        data: JSON.parse(data),
      });
    notify();
  }

  const stream = response.body;
  const ended = (async () => {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of stream) {
        rest += decoder.decode(chunk as Uint8Array, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const text of blocks) block(text);
      }
    } catch {
      // Cut off, by us or by the server.
    }
  })();

  const reader: EventReader = {
    events,
    other,
    lastEventId: () => last,
    ended,
    async until(condition) {
      const deadline = AbortSignal.timeout(PATIENCE_MILLISECONDS);
      while (!condition(events)) {
        await new Promise<void>((resolve, reject) => {
          notify = resolve;
          deadline.addEventListener('abort', () =>
            reject(new Error(`waited in vain; came: ${JSON.stringify(events.slice(-5))}`)),
          );
        });
      }
    },
    close: () => controller.abort(),
  };
  onTestFinished(() => reader.close());
  return reader;
}

/** Base64 of a text or of bytes. */
export function base64(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64');
}
