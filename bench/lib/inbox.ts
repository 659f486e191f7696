import { createHash } from 'node:crypto';
import {
  type Connector,
  createInbox,
  type InboxPorts,
  inboxConfigSchema,
  type RunningInbox,
} from '@postern/inbox';
import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import type { BlobStore } from '@postern/store';
import type { BenchStore } from './databases.ts';

/** The inbox's ports over a store, as the hub makes them. */
export function inboxPorts(store: BenchStore, blobs: BlobStore): InboxPorts {
  return {
    store,
    blobs,
    clock: systemClock,
    random: systemRandom,
    newId: idGenerator({ clock: systemClock, random: systemRandom }),
    config: inboxConfigSchema.parse({}),
    log: { debug() {}, info() {}, warn: complain, error: complain },
    publicUrl: () => 'http://127.0.0.1:8080',
    signingKey: createHash('sha256').update('benchmark').digest(),
    fetchAttachment: () => Promise.reject(new Error('nothing is fetched here')),
  };
}

export function benchInbox(
  store: BenchStore,
  blobs: BlobStore,
  connectors: readonly Connector[] = [],
): RunningInbox {
  return createInbox(inboxPorts(store, blobs), connectors);
}

function complain(fields: object, message: string): void {
  process.stderr.write(`inbox: ${message} ${JSON.stringify(fields)}\n`);
}
