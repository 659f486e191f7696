import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, mountMcp, problemDialect, silentLog } from '../../packages/http/src/index.ts';
import {
  createInbox,
  type InboxTables,
  inboxConfigSchema,
  inboxDialect,
  inboxInstructions,
  inboxMigrations,
  inboxOperations,
  inboxServerInfo,
} from '../../packages/inbox/src/index.ts';
import { idGenerator, systemClock, systemRandom } from '../../packages/kit/src/index.ts';
import { connectStore, fileBlobs, migrate, storeMigrations } from '../../packages/store/src/index.ts';

export interface OpenListener extends AsyncDisposable {
  /** The MCP endpoint. */
  readonly url: string;
}

/**
 * The inbox's tools behind the product's own MCP front, open to everyone as one fixed agent: the conformance
 * suite cannot send a credential. For tests alone, on loopback.
 */
export async function openListener(): Promise<OpenListener> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-open-'));
  const clock = systemClock;
  const random = systemRandom;
  const store = await connectStore<InboxTables>({ file: join(folder, 'postern.db'), clock });
  await migrate(store, [...storeMigrations, ...inboxMigrations]);
  const publicUrl = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const inbox = createInbox(
    {
      store,
      blobs: await fileBlobs(folder, clock),
      clock,
      random,
      newId: idGenerator({ clock, random }),
      config: inboxConfigSchema.parse({}),
      log: silentLog,
      publicUrl,
      fetchAttachment: () => Promise.reject(new Error('nothing is fetched here')),
      signingKey: random.bytes(32),
    },
    [],
  );
  const problem = problemDialect({ publicUrl });
  const app = createServer({ log: silentLog, publicUrl, dialectFor: () => problem });
  mountMcp(app, {
    path: '/mcp',
    operations: inboxOperations.filter(({ tool }) => tool),
    info: inboxServerInfo,
    instructions: inboxInstructions,
    dialect: inboxDialect,
    httpDialect: problem,
    hosts: { publicUrl },
    log: silentLog,
    authenticate: () => ({ kind: 'bearer', credential: 'bearer', agentId: 'conformance' }) as const,
    contextFor: ({ caller, requestId, signal, closing }) => ({
      inbox,
      caller,
      requestId,
      signal,
      closing,
      header: () => undefined,
    }),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url: `${publicUrl()}/mcp`,
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
