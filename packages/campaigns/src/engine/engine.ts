import type { CampaignsPorts } from '../ports.ts';
import { transportKind } from '../transports/transport.ts';
import { runWebhooks } from '../webhooks/run.ts';
import { WorkerPool } from '../workers/pool.ts';
import { runControl } from './control/loop.ts';
import { recoverRows } from './ledger/recover.ts';
import type { Launcher, MailerSource, Transport } from './ports.ts';
import { runSender } from './send/sender.ts';
import { realMailers, senderTask } from './send/sender-task.ts';

export interface CampaignEngineOptions {
  readonly ports: CampaignsPorts;
  readonly launcher: Launcher;
  /** Sends in this thread, over this; else on `engine.workers` threads, over what the configuration says. */
  readonly transport?: Transport;
  /** Those of the campaigns unless a test has its own. */
  readonly mailers?: MailerSource;
}

export interface EngineHealth {
  readonly transport: 'capture' | 'smtp';
  readonly state: 'stopped' | 'running';
  /** Senders at work; fewer than configured while one is started again. */
  readonly senders: number;
}

export interface CampaignEngine {
  /** Takes up what an earlier run left, and begins. */
  start(): Promise<void>;
  /** Takes nothing more, waits a while for answers on their way, gives the rest back. */
  stop(): Promise<void>;
  health(): EngineHealth;
}

const RESTART_MS = 1_000;

/** The engine of the campaigns: one of it in each process, any number on one PostgreSQL. */
export function createCampaignEngine(options: CampaignEngineOptions): CampaignEngine {
  const { ports, launcher } = options;
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  let pool: WorkerPool | undefined;
  let senders = 0;

  /** A sender that ends before it should gives back what it held, and is started again under another name. */
  async function keepSending(send: (worker: string) => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      const worker = ports.newId('wrk');
      senders += 1;
      try {
        await send(worker);
      } catch (error) {
        if (!stop.signal.aborted) ports.log.error({ err: error }, 'a sender failed; starting another');
      } finally {
        senders -= 1;
      }
      if (!stop.signal.aborted) await takeBack(worker);
      await ports.clock.sleep(RESTART_MS, stop.signal);
    }
  }

  /** Without waiting for the leases of a sender that is known to be gone. */
  async function takeBack(worker: string): Promise<void> {
    try {
      await recoverRows(ports, { worker });
    } catch (error) {
      ports.log.warn({ err: error, worker }, 'mails of a sender that failed wait until its leases run out');
    }
  }

  function startSenders(): void {
    const { workers } = ports.config.engine;
    const { transport, mailers = realMailers(ports) } = options;
    if (transport || workers === 0) {
      const input = { worker: '', share: 1 };
      running.push(
        keepSending((worker) =>
          transport
            ? runSender({ ports, transport, mailers, worker }, stop.signal)
            : senderTask.run(ports, { ...input, worker }, stop.signal),
        ),
      );
      return;
    }
    const threads = new WorkerPool(ports, { threads: workers, graceMs: 12_000 });
    pool = threads;
    for (let index = 0; index < workers; index += 1) {
      running.push(
        keepSending((worker) => threads.run(senderTask, { worker, share: 1 / workers }, stop.signal)),
      );
    }
  }

  return {
    async start() {
      // Nobody else can be at work on a data folder that this process has locked.
      if (ports.store.engine === 'sqlite') await recoverRows(ports, 'all');
      startSenders();
      running.push(runControl(ports, launcher, stop.signal), runWebhooks(ports, stop.signal));
    },
    async stop() {
      stop.abort();
      await Promise.all(running.splice(0));
      await pool?.close();
    },
    health: () => ({
      transport: transportKind(ports),
      state: running.length > 0 ? 'running' : 'stopped',
      senders,
    }),
  };
}
