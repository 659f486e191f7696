import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idGenerator } from '@postern/kit';
import { type FakeClock, fakeClock, seededRandom } from '@postern/kit/testing';
import { type BlobStore, databaseBlobs, fileBlobs, type StoreLimits } from '@postern/store';
import { freshStore } from '@postern/store/testing';
import { onTestFinished } from 'vitest';
import type * as z from 'zod';
import { offerPairing } from '../access/pairing.ts';
import { type InboxConfig, inboxConfigSchema } from '../config.ts';
import type { Connector, ConnectorSink, InboundEvent } from '../connectors/connector.ts';
import { createInbox, type RunningInbox } from '../inbox.ts';
import type { MessageRow } from '../messages/envelopes.ts';
import { createSink } from '../messages/sink.ts';
import { type UnreadFilter, unreadPage } from '../messages/unread.ts';
import { inboxMigrations } from '../migrations.ts';
import type { InboxPorts, InboxStore } from '../ports.ts';
import type { InboxTables } from '../tables.ts';
import { MemoryLog } from './memory-log.ts';

export interface InboxBench {
  readonly ports: InboxPorts;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  /** The sink of the connector `local`, account `fake`. */
  readonly sink: ConnectorSink;
  /** Stores events as that connector would; the cursor counts up by itself. */
  accept(...events: InboundEvent[]): Promise<void>;
  allow(senderId: string, names?: { displayName?: string; personId?: string }): Promise<void>;
  /** How many blobs are kept of all that were ever put. */
  keptBlobs(): Promise<number>;
  /** The message a platform id stands for. */
  stored(platformId: string): Promise<MessageRow>;
  /** What an agent has unread, up to 100. */
  unread(agentId: string, filter?: Partial<UnreadFilter>): Promise<MessageRow[]>;
  /** The inbox over these ports, not started. */
  inbox(...connectors: Connector[]): RunningInbox;
  /** One more process on the same database and blobs, with a clock of its own unless one is given. */
  again(clock?: FakeClock): Promise<InboxBench>;
}

export interface BenchOptions {
  readonly config?: z.input<typeof inboxConfigSchema>;
  readonly fetchAttachment?: InboxPorts['fetchAttachment'];
  readonly limits?: Partial<StoreLimits>;
}

/** An inbox's ports over a database of its own, on a clock that only the test moves. */
export async function inboxBench(
  engine: 'sqlite' | 'postgres',
  options: BenchOptions = {},
): Promise<InboxBench> {
  const clock = fakeClock();
  const { limits = {} } = options;
  const fresh = await freshStore<InboxTables>(engine, { migrations: inboxMigrations, clock, limits });
  const folder = engine === 'sqlite' ? await freshFolder() : '';
  const everPut = new Set<string>();
  const blobsOf = async (store: InboxStore): Promise<BlobStore> => {
    const blobs = engine === 'sqlite' ? await fileBlobs(folder, store.clock) : databaseBlobs(store);
    return {
      put: (id, ...rest) => blobs.put(id, ...rest).finally(() => everPut.add(id)),
      open: (id) => blobs.open(id),
      delete: (id) => blobs.delete(id),
      sweep: () => blobs.sweep(),
    };
  };
  let processes = 0;

  async function processOn(store: InboxStore, clock: FakeClock): Promise<InboxBench> {
    onTestFinished(() => store.close());
    processes += 1;
    const random = seededRandom(processes);
    const log = new MemoryLog();
    const ports: InboxPorts = {
      store,
      blobs: await blobsOf(store),
      clock,
      random,
      newId: idGenerator({ clock, random }),
      config: inboxConfigSchema.parse(options.config ?? {}) as InboxConfig,
      log,
      publicUrl: () => 'http://127.0.0.1:8080',
      signingKey: new Uint8Array(32).fill(1),
      fetchAttachment:
        options.fetchAttachment ??
        (() => Promise.reject(new Error('no server is fetched from in this test'))),
    };
    return {
      ...benchOf(ports, clock, log),
      again: async (other = fakeClock()) => processOn(await fresh.again({ clock: other, limits }), other),
      async keptBlobs() {
        const opened = await Promise.all([...everPut].map((id) => ports.blobs.open(id)));
        return opened.filter((blob) => blob !== undefined).length;
      },
    };
  }
  return processOn(fresh.store, clock);
}

function benchOf(
  ports: InboxPorts,
  clock: FakeClock,
  log: MemoryLog,
): Omit<InboxBench, 'again' | 'keptBlobs'> {
  const { store } = ports;
  const sink = createSink(ports, { source: 'local', account: 'fake' }, (tx, stranger) =>
    offerPairing(tx, ports, stranger),
  );
  let cursor = 0;
  return {
    ports,
    clock,
    log,
    sink,
    accept: (...events) => sink.accept(events, String(++cursor)),
    async allow(senderId, names = {}) {
      await store.db
        .insertInto('inbox_allowlist')
        .values({
          source: 'local',
          sender_id: senderId,
          display_name: names.displayName ?? null,
          person_id: names.personId ?? null,
          created_us: clock.nowMicroseconds(),
        })
        .execute();
    },
    stored: (platformId) =>
      store.db
        .selectFrom('inbox_platform_ids')
        .innerJoin('inbox_messages', 'inbox_messages.message_id', 'inbox_platform_ids.message_id')
        .selectAll('inbox_messages')
        .where('platform_id', '=', platformId)
        .executeTakeFirstOrThrow(),
    unread: (agentId, filter = {}) =>
      unreadPage(store, {
        sinceMicroseconds: null,
        source: null,
        channelId: null,
        limit: 100,
        ...filter,
        agentId,
      }),
    inbox: (...connectors) => createInbox(ports, connectors),
  };
}

/** A folder that goes away with the test. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-inbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

let counter = 0;

type MessageEvent = Extract<InboundEvent, { kind: 'message' }>;

/** A message event; every field has a default. */
export function messageEvent(overrides: Partial<MessageEvent> = {}): MessageEvent {
  counter += 1;
  return {
    kind: 'message',
    platformId: `p${counter}`,
    channel: { id: 'local:team', type: 'group', name: 'team' },
    sender: { id: 'ana', displayName: 'Ana' },
    text: `message ${counter}`,
    attachments: [],
    replyToPlatformId: null,
    timestampMs: 1_700_000_000_000 + counter,
    raw: {},
    ...overrides,
  };
}

/** An inbound attachment with these bytes; `sizeBytes` is what the platform claims. */
export function inboundFile(name: string, bytes: Uint8Array | string, sizeBytes?: number) {
  const content = Buffer.from(bytes as string);
  return {
    name,
    sizeBytes: sizeBytes ?? content.length,
    open: async () =>
      (async function* () {
        yield content;
      })(),
  };
}
