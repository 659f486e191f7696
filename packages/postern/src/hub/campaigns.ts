import {
  bootstrapOf,
  type CampaignsPorts,
  type CampaignsTables,
  createCampaigns,
  mountCampaigns,
  type RunningCampaigns,
} from '@postern/campaigns';
import type { HostPolicy } from '@postern/http';
import { type Clock, type ErrorDialect, idGenerator, type Random } from '@postern/kit';
import { getOrCreateSetting, type Store } from '@postern/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import { databaseFile } from '../secrets/data-folder.ts';
import type { Secrets } from '../secrets/generated.ts';

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

/** The ports of the campaigns; admin keys are looked up through them, for all services. */
export async function campaignsPorts(means: CampaignsMeans): Promise<CampaignsPorts> {
  const { config, secrets, store, clock, random, log, publicUrl } = means;
  const make = () => Buffer.from(random.bytes(32)).toString('base64');
  const installationKey = Buffer.from(
    await getOrCreateSetting(store, 'campaigns.installation_key', make),
    'base64',
  );
  return {
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
  ports: CampaignsPorts,
  door: CampaignsDoor,
): RunningCampaigns {
  mountCampaigns(app, { ports, log: ports.log, ...door });
  return createCampaigns(ports);
}
