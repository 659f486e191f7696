import { bearerToken, problem, secretHash } from '@postern/http';
import type { CampaignsCaller, CampaignsRights } from './context.ts';
import { BOOTSTRAP_ID, noteBootstrapUse, readBootstrap } from './keys/bootstrap.ts';
import { isAlive, scopesOf } from './keys/rows.ts';
import type { CampaignsPorts } from './ports.ts';
import type { KeyTable } from './tables.ts';

/** Who calls, and whether they may (contract, section 1). */

/** Last use is recorded this exactly, so that reading does not mean writing. */
const LAST_USE_STEP_US = 60 * 1_000_000;

const NO_SCOPES: ReadonlySet<never> = new Set();

/**
 * The holder of a secret. Everything is looked up by the secret's hash, so that the time it takes tells nothing
 * about any key.
 *
 * @throws Failure unauthorized when it is no key, or one that was revoked or has expired.
 */
export async function callerOfSecret(ports: CampaignsPorts, secret: string | null): Promise<CampaignsCaller> {
  const caller = secret === null ? null : await findCaller(ports, secret);
  if (caller === null) {
    throw problem('unauthorized', 'Send Authorization: Bearer <key> with a key that is valid.');
  }
  return caller;
}

/** The same from a request's `Authorization` field, unless an operator was recognised by other means. */
export async function identify(
  ports: CampaignsPorts,
  authorization: string | undefined,
  operator: string | null,
): Promise<CampaignsCaller> {
  if (operator !== null) return operatorCaller(operator);
  return callerOfSecret(ports, bearerToken(authorization));
}

/** Name of the admin key that a secret is (`bootstrap` or its id), or null: for the other services' admin routes. */
export async function adminOf(ports: CampaignsPorts, secret: string): Promise<string | null> {
  const caller = await findCaller(ports, secret);
  return caller?.kind === 'admin' ? caller.keyId : null;
}

/** A person logged in to the console, or the command line: an admin whose requests are not counted. */
export function operatorCaller(name: string): CampaignsCaller {
  return {
    kind: 'admin',
    keyId: name,
    projectId: null,
    scopes: NO_SCOPES,
    expiresUs: null,
    ratePerMinute: null,
  };
}

async function findCaller(ports: CampaignsPorts, secret: string): Promise<CampaignsCaller | null> {
  const hash = secretHash(secret);
  const now = ports.clock.nowMicroseconds();
  const { perMinute } = ports.config.rateLimit;
  const row = await ports.store.db
    .selectFrom('mail_keys')
    .selectAll()
    .where('secret_hash', '=', hash)
    .executeTakeFirst();
  // A key that has a row is what its row says, also when somebody configures it as bootstrap key.
  if (!row) return hash === ports.bootstrap.secretHash ? bootstrapCaller(ports, now) : null;
  if (!isAlive(row, now)) return null;
  if (isStale(row.last_used_us, now)) await touch(ports, row, now);
  return {
    kind: row.kind,
    keyId: row.key_id,
    projectId: row.project_id,
    scopes: row.kind === 'admin' ? NO_SCOPES : new Set(scopesOf(row)),
    expiresUs: row.expires_us,
    ratePerMinute: row.rate_per_minute ?? perMinute,
  };
}

async function bootstrapCaller(ports: CampaignsPorts, now: number): Promise<CampaignsCaller | null> {
  const { db } = ports.store;
  const state = await readBootstrap(db, ports);
  if (state.revokedUs !== null) return null;
  if (isStale(state.lastUsedUs, now)) await noteBootstrapUse(db, ports);
  return { ...operatorCaller(BOOTSTRAP_ID), ratePerMinute: ports.config.rateLimit.perMinute };
}

function isStale(lastUsedUs: number | null, now: number): boolean {
  return lastUsedUs === null || now - lastUsedUs >= LAST_USE_STEP_US;
}

async function touch(ports: CampaignsPorts, { key_id }: KeyTable, now: number): Promise<void> {
  await ports.store.db
    .updateTable('mail_keys')
    .set({ last_used_us: now })
    .where('key_id', '=', key_id)
    .execute();
}

/** Whether a caller may use an operation at all; what it may see is a matter of the project. */
export function mayCall(caller: CampaignsCaller, { scope }: CampaignsRights): boolean {
  if (caller.kind === 'admin' || scope === 'none') return true;
  return scope !== 'admin' && caller.scopes.has(scope);
}

/** @throws Failure forbidden. */
export function requireRight(caller: CampaignsCaller, rights: CampaignsRights): void {
  if (mayCall(caller, rights)) return;
  throw problem(
    'forbidden',
    rights.scope === 'admin'
      ? 'This takes an admin key; an API key does not open it.'
      : `This key lacks the scope ${rights.scope}.`,
  );
}
