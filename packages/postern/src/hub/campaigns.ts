import {
  bootstrapOf,
  type CampaignsPorts,
  type CampaignsTables,
  createCampaigns,
  mountCampaigns,
  type RunningCampaigns,
  WorkerPool,
} from '@postern/campaigns';
import type { HostPolicy } from '@postern/http';
import { type Clock, type ErrorDialect, idGenerator, type Random } from '@postern/kit';
import { getOrCreateSetting, type Store } from '@postern/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import { databaseFile } from '../secrets/data-folder.ts';
import type { Secrets } from '../secrets/generated.ts';

/** Imports, counts and templates at a time; the senders have threads of their own. */
const WORKER_THREADS = 2;

/** What the hub has for the campaigns. */
export interface CampaignsMeans {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly store: Store<CampaignsTables>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  publicUrl(): string;
}

/** With threads, which are started when there is work for them. */
export interface HubCampaignsPorts extends CampaignsPorts {
  readonly workers: WorkerPool;
}

/** The ports of the campaigns; admin keys are looked up through them, for all services. */
export async function campaignsPorts(means: CampaignsMeans): Promise<HubCampaignsPorts> {
  const { config, secrets, store, clock, random, log, publicUrl } = means;
  const make = () => Buffer.from(random.bytes(32)).toString('base64');
  const installationKey = Buffer.from(
    await getOrCreateSetting(store, 'campaigns.installation_key', make),
    'base64',
  );
  const ports: CampaignsPorts = {
    store,
    place:
      config.databaseUrl === null
        ? { file: databaseFile(config.dataDir) }
        : { url: config.databaseUrl.reveal() },
    clock,
    random,
    newId: idGenerator({ clock, random }),
    config: config.campaigns,
    log,
    publicUrl,
    installationKey,
    bootstrap: bootstrapOf(secrets.adminKey.reveal()),
    allowUnverifiedDomains: config.allowUnverifiedDomains,
    dnsServers: config.dnsServers,
  };
  return { ...ports, workers: new WorkerPool(ports, { threads: WORKER_THREADS }) };
}

export interface CampaignsDoor {
  readonly dialect: ErrorDialect;
  readonly hosts: HostPolicy;
  /** Name of an operator who came without a key. */
  operatorOf(request: FastifyRequest): Promise<string | null>;
}

/** Mounts the campaigns; nothing works by itself before `start`. */
export function openCampaigns(
  app: FastifyInstance,
  ports: HubCampaignsPorts,
  door: CampaignsDoor,
): RunningCampaigns {
  mountCampaigns(app, { ports, log: ports.log, ...door });
  const campaigns = createCampaigns(ports);
  return {
    start: () => campaigns.start(),
    health: () => campaigns.health(),
    async stop() {
      await Promise.all([campaigns.stop(), ports.workers.close()]);
    },
  };
}
