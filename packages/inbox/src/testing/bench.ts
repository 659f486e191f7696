import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idGenerator } from '@postern/kit';
import { type FakeClock, fakeClock, seededRandom } from '@postern/kit/testing';
import { databaseBlobs, fileBlobs } from '@postern/store';
import { freshStore } from '@postern/store/testing';
import { onTestFinished } from 'vitest';
import { offerPairing } from '../access/pairing.ts';
import { type InboxConfig, inboxConfigSchema } from '../config.ts';
import type { InboundEvent } from '../connectors/connector.ts';
import { createSink } from '../messages/sink.ts';
import { inboxMigrations } from '../migrations.ts';
import type { InboxPorts } from '../ports.ts';
import type { InboxTables } from '../tables.ts';

export interface InboxBench {
  readonly ports: InboxPorts;
  readonly clock: FakeClock;
  /** Stores events as the `local` connector would; the cursor counts up by itself. */
  accept(...events: InboundEvent[]): Promise<void>;
  allow(senderId: string, names?: { displayName?: string; personId?: string }): Promise<void>;
}

/** An inbox's ports over a database of its own, on a clock that only the test moves. */
export async function inboxBench(
  engine: 'sqlite' | 'postgres',
  config: Parameters<typeof inboxConfigSchema.parse>[0] = {},
): Promise<InboxBench> {
  const clock = fakeClock();
  const random = seededRandom(7);
  const { store } = await freshStore<InboxTables>(engine, { migrations: inboxMigrations, clock });
  const ports: InboxPorts = {
    store,
    blobs: engine === 'sqlite' ? await fileBlobs(await freshFolder(), clock) : databaseBlobs(store),
    clock,
    random,
    newId: idGenerator({ clock, random }),
    config: inboxConfigSchema.parse(config) as InboxConfig,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    publicUrl: () => 'http://127.0.0.1:8080',
    signingKey: new Uint8Array(32).fill(1),
    fetchAttachment: () => Promise.reject(new Error('no server is fetched from in this test')),
  };
  const sink = createSink(ports, { source: 'local', account: 'fake' }, (tx, stranger) =>
    offerPairing(tx, ports, stranger),
  );
  let cursor = 0;
  return {
    ports,
    clock,
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
