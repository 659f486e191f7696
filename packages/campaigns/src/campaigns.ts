import { createMailboxReader } from './bounces/mailbox/mailbox-reader.ts';
import { createBounceListener } from './bounces/smtp-listener.ts';
import { createLauncher } from './campaigns/launcher.ts';
import { createCampaignEngine } from './engine/index.ts';
import type { CampaignsPorts } from './ports.ts';

/** How a part is that depends on somebody else's server; sentences for the operator, no secrets. */
export interface PartHealth {
  readonly source: string;
  readonly status: 'ok' | 'starting' | 'standby' | 'down';
  readonly detail?: string;
}

/** Something that works by itself beside the requests: the engine, webhooks, bounce intake. */
export interface CampaignsPart {
  readonly name: string;
  start(): void | Promise<void>;
  /** Stops taking work, gives back what it holds, and resolves when nothing of it runs any more. */
  stop(): Promise<void>;
  health?(): PartHealth;
}

export interface RunningCampaigns {
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): readonly PartHealth[];
}

/** The parts there are, in the order they are started. */
function partsOf(ports: CampaignsPorts): CampaignsPart[] {
  const engine = createCampaignEngine({ ports, launcher: createLauncher(ports) });
  const { smtp, imap } = ports.config.bounces;
  return [
    { name: 'engine', start: () => engine.start(), stop: () => engine.stop() },
    ...(smtp ? [{ name: 'bounces', ...createBounceListener(ports, smtp) }] : []),
    ...(imap ? [{ name: 'bounce mailbox', ...createMailboxReader(ports, imap) }] : []),
  ];
}

/** Puts the service together from its ports; nothing runs before `start`. */
export function createCampaigns(ports: CampaignsPorts, parts = partsOf(ports)): RunningCampaigns {
  const started: CampaignsPart[] = [];
  return {
    async start() {
      for (const part of parts) {
        started.push(part);
        await part.start();
      }
    },
    async stop() {
      const stopped = await Promise.allSettled(started.splice(0).map((part) => part.stop()));
      for (const [index, result] of stopped.entries()) {
        if (result.status === 'rejected')
          ports.log.error(
            { err: result.reason, part: parts[index]?.name },
            'a part of the campaigns did not stop',
          );
      }
    },
    health: () => parts.flatMap((part) => part.health?.() ?? []),
  };
}
