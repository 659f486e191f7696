import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import { connectStore } from '@postern/store';
import type { CampaignsPorts, Log } from '../ports.ts';
import type { CampaignsTables } from '../tables.ts';

/** What a thread needs to make ports like those of its process; plain data. */
export interface WorkerSetting
  extends Pick<
    CampaignsPorts,
    'place' | 'config' | 'installationKey' | 'bootstrap' | 'allowUnverifiedDomains' | 'dnsServers'
  > {
  /** That of the process's store. */
  readonly shared: SharedArrayBuffer | undefined;
  /** As it was when the task was given. */
  readonly publicUrl: string;
}

export function settingOf(ports: CampaignsPorts): WorkerSetting {
  const { store, place, config, installationKey, bootstrap, allowUnverifiedDomains, dnsServers } = ports;
  return {
    place,
    shared: store.shared,
    config,
    installationKey,
    bootstrap,
    allowUnverifiedDomains,
    dnsServers,
    publicUrl: ports.publicUrl(),
  };
}

/** Connections of one thread; it works on one task at a time. */
const POOL_SIZE = 3;

/** Opens a store of the thread's own and puts the ports together. Close the store when done. */
export async function openPorts(setting: WorkerSetting, log: Log): Promise<CampaignsPorts> {
  const { publicUrl, shared, ...same } = setting;
  const store = await connectStore<CampaignsTables>({
    ...setting.place,
    shared,
    clock: systemClock,
    log,
    limits: { poolSize: POOL_SIZE },
  });
  return {
    ...same,
    store,
    clock: systemClock,
    random: systemRandom,
    newId: idGenerator({ clock: systemClock, random: systemRandom }),
    log,
    publicUrl: () => publicUrl,
  };
}
