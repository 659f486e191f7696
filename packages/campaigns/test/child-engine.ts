import type { Worker } from 'node:worker_threads';
import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import { connectStore } from '@postern/store';
import type { Place } from '@postern/store/testing';
import { campaignsConfigSchema } from '../src/config.ts';
import { createCampaignEngine } from '../src/engine/engine.ts';
import type { Transport } from '../src/engine/ports.ts';
import type { CampaignsPorts } from '../src/ports.ts';
import type { CampaignsTables } from '../src/tables.ts';
import { smtpTransport } from '../src/transports/smtp.ts';

/** Program: runs the engine on a database and a relay until SIGTERM, or until it kills itself where it is told to. */

export interface ChildEngine {
  readonly place: Place;
  readonly relayPort: number;
  readonly connections: number;
  /** Threads that send; with 0 the engine sends by itself, and can die at the moments below. */
  readonly workers: number;
  readonly dieAt?: 'before_connecting' | 'reply_read' | 'result_written';
  /** How many mails pass before it dies. */
  readonly dieAfter?: number;
}

/** Threads that run; the one that is longest at it dies at SIGUSR2. */
const threads = new Set<Worker>();
process.on('worker', (thread: Worker) => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
});
process.on('SIGUSR2', () => void [...threads][0]?.terminate());

const options: ChildEngine = JSON.parse(process.argv[2] ?? '');
const store = await connectStore<CampaignsTables>({ ...options.place, clock: systemClock });
let passed = 0;

function mayDie(moment: ChildEngine['dieAt']): void {
  if (moment !== options.dieAt) return;
  passed += 1;
  if (passed > (options.dieAfter ?? 0)) process.kill(process.pid, 'SIGKILL');
}

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };
const ports: CampaignsPorts = {
  store: {
    ...store,
    get db() {
      return store.db;
    },
    async transaction(work, transactionOptions) {
      let hasSent = false;
      const result = await store.transaction(async (tx) => {
        const before = await sentSoFar(tx);
        const done = await work(tx);
        hasSent = (await sentSoFar(tx)) > before;
        return done;
      }, transactionOptions);
      if (hasSent) mayDie('result_written');
      return result;
    },
  },
  place: options.place,
  clock: systemClock,
  random: systemRandom,
  newId: idGenerator({ clock: systemClock, random: systemRandom }),
  config: campaignsConfigSchema.parse({
    smtp: [{ url: `smtp://127.0.0.1:${options.relayPort}` }],
    engine: { workers: options.workers, connections: options.connections },
  }),
  log: quiet,
  publicUrl: () => 'https://mail.example.com',
  installationKey: new Uint8Array(32).fill(7),
  bootstrap: { secretHash: '', prefix: '' },
  allowUnverifiedDomains: true,
  dnsServers: [],
};

async function sentSoFar(tx: CampaignsPorts['store']['db']): Promise<number> {
  if (options.dieAt !== 'result_written') return 0;
  const row = await tx
    .selectFrom('mail_campaign_counts')
    .select('total')
    .where('state', '=', 'sent')
    .executeTakeFirst();
  return row?.total ?? 0;
}

function dyingTransport(): Transport {
  const transport = smtpTransport(ports);
  return {
    ...transport,
    async send(mail, hooks, signal) {
      mayDie('before_connecting');
      const result = await transport.send(mail, hooks, signal);
      if (result.kind === 'accepted') mayDie('reply_read');
      return result;
    },
  };
}

const engine = createCampaignEngine({
  ports,
  launcher: { prepare: async () => ({ unfit: 'template_error' }) },
  ...(options.workers === 0 ? { transport: dyingTransport() } : {}),
});
process.once('SIGTERM', async () => {
  await engine.stop();
  await store.close();
  process.exit(0);
});
await engine.start();
console.log('started');
