import type { StoreHandle, StoreTables } from '@postern/store';
import type { Kysely } from 'kysely';
import type { CampaignsPorts } from '../ports.ts';

/**
 * The admin key of the configuration. It has no row among the keys; what is to be remembered of it stands under
 * its hash among the settings, each moment by itself, so that noting a use can never undo a revocation. A revoked
 * one stays dead however often the hub is started with it.
 */

export const BOOTSTRAP_ID = 'bootstrap';

export interface BootstrapState {
  readonly createdUs: number | null;
  readonly lastUsedUs: number | null;
  readonly revokedUs: number | null;
}

type Moment = 'created' | 'used' | 'revoked';
type BootstrapPorts = Pick<CampaignsPorts, 'clock' | 'bootstrap'>;

export async function readBootstrap(db: StoreHandle, ports: BootstrapPorts): Promise<BootstrapState> {
  const prefix = prefixOf(ports);
  const rows = await settings(db)
    .selectFrom('settings')
    .selectAll()
    .where('key', 'in', [`${prefix}created`, `${prefix}used`, `${prefix}revoked`])
    .execute();
  const at = (moment: Moment) => {
    const row = rows.find(({ key }) => key === prefix + moment);
    return row === undefined ? null : Number(row.value);
  };
  return { createdUs: at('created'), lastUsedUs: at('used'), revokedUs: at('revoked') };
}

/** Notes a use, and with the first one when the key was made as far as anybody knows. */
export async function noteBootstrapUse(db: StoreHandle, ports: BootstrapPorts): Promise<void> {
  await note(db, ports, 'created', 'keep');
  await note(db, ports, 'used', 'replace');
}

/** @returns the time of the revocation. */
export async function noteBootstrapRevocation(db: StoreHandle, ports: BootstrapPorts): Promise<number> {
  return note(db, ports, 'revoked', 'replace');
}

async function note(
  db: StoreHandle,
  ports: BootstrapPorts,
  moment: Moment,
  known: 'keep' | 'replace',
): Promise<number> {
  const now = ports.clock.nowMicroseconds();
  const value = String(now);
  await settings(db)
    .insertInto('settings')
    .values({ key: prefixOf(ports) + moment, value })
    .onConflict((conflict) =>
      known === 'keep' ? conflict.column('key').doNothing() : conflict.column('key').doUpdateSet({ value }),
    )
    .execute();
  return now;
}

function prefixOf({ bootstrap }: Pick<CampaignsPorts, 'bootstrap'>): string {
  return `campaigns.bootstrap.${bootstrap.secretHash.slice(0, 32)}.`;
}

function settings(db: StoreHandle): Kysely<StoreTables> {
  return db as Kysely<StoreTables>;
}
