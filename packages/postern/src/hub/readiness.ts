import type { Clock } from '@postern/kit';
import type { Store } from '@postern/store';
import type { RoomHealth } from '@postern/threads';
import { sql } from 'kysely';
import type { Readiness, ServiceStatus, Status } from './health.ts';

/** The database must say something within this time to count as there. */
const DATABASE_MS = 2_000;

/** Something that depends on a server of others. */
interface ConnectorHealth {
  readonly source: string;
  readonly status: Status;
  readonly detail?: string;
}

export interface ReadinessInputs<DB> {
  readonly stage: 'starting' | 'running' | 'stopping';
  readonly store: Store<DB>;
  readonly clock: Clock;
  readonly connectors: readonly ConnectorHealth[];
  /** Parts of the campaigns that read from others. */
  readonly campaigns: readonly ConnectorHealth[];
  /** Platforms of the threads service; null where it is off. */
  readonly platforms: readonly RoomHealth[] | null;
}

/**
 * Ready means that requests are served: the process runs and its database answers. A platform that is away is
 * told, and does not take the process out of service, since everything else still works.
 */
export async function readinessOf<DB>({
  stage,
  store,
  clock,
  connectors,
  campaigns,
  platforms,
}: ReadinessInputs<DB>): Promise<Readiness> {
  const isUp = await answers(store, clock);
  const own: Status = stage === 'running' ? (isUp ? 'ok' : 'down') : stage;
  return {
    ready: own === 'ok',
    services: {
      database: { status: isUp ? 'ok' : 'down', detail: store.engine },
      local_chat: { status: own },
      inbox: serviceStatus(own, connectors),
      threads: platforms === null ? { status: 'off' } : threadsStatus(own, platforms),
      campaigns: campaigns.length === 0 ? { status: own } : serviceStatus(own, campaigns),
    },
  };
}

function serviceStatus(own: Status, connectors: readonly ConnectorHealth[]): ServiceStatus {
  return {
    status: own === 'ok' ? worst(connectors.map(({ status }) => status)) : own,
    connectors: Object.fromEntries(
      connectors.map(({ source, status, detail }) => [
        source,
        { status, ...(detail === undefined ? {} : { detail }) },
      ]),
    ),
  };
}

/** In the words of the other services. */
const PLATFORM_STATUS: Readonly<Record<RoomHealth['status'], Status>> = {
  connecting: 'starting',
  ok: 'ok',
  degraded: 'degraded',
  failed: 'down',
  standby: 'standby',
  stopped: 'down',
};

function threadsStatus(own: Status, platforms: readonly RoomHealth[]): ServiceStatus {
  const connectors = platforms.map(({ id, status, detail }) => ({
    id,
    status: PLATFORM_STATUS[status],
    ...(detail === undefined ? {} : { detail }),
  }));
  return {
    status: own === 'ok' ? worst(connectors.map(({ status }) => status)) : own,
    connectors: Object.fromEntries(connectors.map(({ id, ...state }) => [id, state])),
  };
}

/** A service with a connector that is down is degraded: it takes and answers requests all the same. */
function worst(statuses: readonly Status[]): Status {
  if (statuses.some((status) => status === 'down' || status === 'degraded')) return 'degraded';
  return statuses.includes('starting') ? 'starting' : 'ok';
}

async function answers<DB>(store: Store<DB>, clock: Clock): Promise<boolean> {
  const done = new AbortController();
  try {
    const asked = sql`SELECT 1`.execute(store.db).then(
      () => true,
      () => false,
    );
    return await Promise.race([asked, clock.sleep(DATABASE_MS, done.signal).then(() => false)]);
  } finally {
    done.abort();
  }
}
