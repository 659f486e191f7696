import type { StoreHandle, StoreTables } from '@postern/store';
import type { Kysely } from 'kysely';
import type { CampaignsPorts } from '../ports.ts';

/**
 * The admin key of the configuration. It has no row among the keys; what is to be remembered of it stands under
 * its hash among the settings, so that a revoked one stays dead however often the hub is started with it.
 */

export const BOOTSTRAP_ID = 'bootstrap';

export interface BootstrapState {
  readonly createdUs: number;
  readonly lastUsedUs: number | null;
  readonly revokedUs: number | null;
}

/** Its state, from when it was first seen on. */
export async function bootstrapState(ports: Pick<CampaignsPorts, 'store' | 'clock' | 'bootstrap'>) {
  return readBootstrap(ports.store.db, ports);
}

export async function readBootstrap(
  db: StoreHandle,
  ports: Pick<CampaignsPorts, 'clock' | 'bootstrap'>,
): Promise<BootstrapState> {
  const row = await settings(db)
    .selectFrom('settings')
    .select('value')
    .where('key', '=', keyOf(ports))
    .executeTakeFirst();
  if (row) return JSON.parse(row.value) as BootstrapState;
  return { createdUs: ports.clock.nowMicroseconds(), lastUsedUs: null, revokedUs: null };
}

export async function writeBootstrap(
  db: StoreHandle,
  ports: Pick<CampaignsPorts, 'bootstrap'>,
  state: BootstrapState,
): Promise<void> {
  const value = JSON.stringify(state);
  await settings(db)
    .insertInto('settings')
    .values({ key: keyOf(ports), value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

function keyOf({ bootstrap }: Pick<CampaignsPorts, 'bootstrap'>): string {
  return `campaigns.bootstrap.${bootstrap.secretHash.slice(0, 32)}`;
}

function settings(db: StoreHandle): Kysely<StoreTables> {
  return db as Kysely<StoreTables>;
}
