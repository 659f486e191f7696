import { problem } from '@postern/http';
import { forUpdate, serialise } from '@postern/store';
import { recordAct } from '../audit.ts';
import { cursorOfKey, page } from '../paging.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { answerTimeOrNull } from '../shapes/common.ts';
import type { KeyTable } from '../tables.ts';
import { BOOTSTRAP_ID, type BootstrapState, noteBootstrapRevocation, readBootstrap } from './bootstrap.ts';
import { type Revocation, revocation } from './revocation.ts';
import { insertKey, isAlive } from './rows.ts';
import { type KeyAnswer, keyAnswer } from './shapes.ts';

/** Admin keys: those with a row, and the one of the configuration, which is listed before them. */

/** Makes an admin key. The secret is in this answer and nowhere else. */
export async function createAdminKey(
  ports: CampaignsPorts,
  actor: string,
  request: { name: string; expiresUs: number | null; ratePerMinute: number | null },
): Promise<KeyAnswer & { secret: string }> {
  const { row, secret } = await ports.store.transaction(async (tx) => {
    const made = await insertKey(tx, ports, { kind: 'admin', projectId: null, scopes: [], ...request });
    await recordAct(tx, ports, { actor, action: 'create_admin_key', target: made.row.key_id });
    return made;
  });
  return { ...keyAnswer(row), secret };
}

/** All admin keys, `bootstrap` first, then by age; revoked and expired ones too. */
export async function pageOfAdminKeys(
  ports: CampaignsPorts,
  request: { limit: number; cursor?: string | undefined },
): Promise<{ keys: KeyAnswer[]; next_cursor: string | null }> {
  const isFirst = request.cursor === undefined;
  const bootstrap = isFirst ? [await bootstrapKey(ports)] : [];
  const room = request.limit - bootstrap.length;
  const { rows, next_cursor } = await page(
    // At least one, to learn whether there is any; it is left for the next page when there is no room.
    { limit: Math.max(1, room), cursor: request.cursor },
    'key',
    ({ after, limit }) => {
      const query = ports.store.db
        .selectFrom('mail_keys')
        .selectAll()
        .where('kind', '=', 'admin')
        .orderBy('key_id')
        .limit(limit);
      return (after === null ? query : query.where('key_id', '>', after)).execute();
    },
    (row) => row.key_id,
  );
  if (room > 0) return { keys: [...bootstrap, ...rows.map(keyAnswer)], next_cursor };
  return { keys: bootstrap, next_cursor: rows.length > 0 ? cursorOfKey(BEFORE_ALL) : null };
}

/** Sorts before every key there is. */
const BEFORE_ALL = `key_${'0'.repeat(26)}`;

/**
 * Revokes an admin key, or says what that would do. The key of the configuration stays dead however often the
 * hub is started with it.
 *
 * @throws Failure not_found; precondition_failed with `last_admin_key` when no other would be left that works.
 */
export async function revokeAdminKey(
  ports: CampaignsPorts,
  actor: string,
  keyId: string,
  dryRun: boolean,
): Promise<Revocation> {
  return ports.store.transaction(async (tx) => {
    // Two that revoke each other's key at the same time would leave none.
    await serialise(tx, 'campaigns:admin-keys');
    const key = keyId === BOOTSTRAP_ID ? await bootstrapKeyIn(tx, ports) : await lockKey(tx, keyId);
    if (key.revoked_at !== null) return revocation('already_revoked', key);
    await requireAnother(tx, ports, keyId);
    if (dryRun) return revocation('would_revoke', key);
    const revokedUs =
      keyId === BOOTSTRAP_ID ? await noteBootstrapRevocation(tx, ports) : await revokeRow(tx, ports, keyId);
    await recordAct(tx, ports, { actor, action: 'revoke_admin_key', target: keyId });
    return revocation('revoked', { ...key, revoked_at: answerTimeOrNull(revokedUs) });
  });
}

async function revokeRow(tx: CampaignsTransaction, ports: CampaignsPorts, keyId: string): Promise<number> {
  const revoked_us = ports.clock.nowMicroseconds();
  await tx.updateTable('mail_keys').set({ revoked_us }).where('key_id', '=', keyId).execute();
  return revoked_us;
}

async function requireAnother(tx: CampaignsTransaction, ports: CampaignsPorts, keyId: string): Promise<void> {
  const now = ports.clock.nowMicroseconds();
  const rows = await tx.selectFrom('mail_keys').selectAll().where('kind', '=', 'admin').execute();
  if (rows.some((row) => row.key_id !== keyId && isAlive(row, now))) return;
  if (keyId !== BOOTSTRAP_ID && (await readBootstrap(tx, ports)).revokedUs === null) return;
  const message = 'is the last admin key that works; make another one first';
  throw problem('precondition_failed', `key_id ${message}.`, {
    violations: [{ field: 'key_id', code: 'last_admin_key', message }],
  });
}

async function lockKey(tx: CampaignsTransaction, keyId: string): Promise<KeyAnswer> {
  const query = tx.selectFrom('mail_keys').selectAll().where('key_id', '=', keyId);
  const row: KeyTable | undefined = await forUpdate(tx, query.where('kind', '=', 'admin')).executeTakeFirst();
  if (!row) throw problem('not_found', `There is no admin key ${keyId}.`);
  return keyAnswer(row);
}

/** The configuration's admin key, as the list of keys shows it. */
export async function bootstrapKey(ports: CampaignsPorts): Promise<KeyAnswer> {
  return bootstrapAnswer(ports, await readBootstrap(ports.store.db, ports));
}

async function bootstrapKeyIn(tx: CampaignsTransaction, ports: CampaignsPorts): Promise<KeyAnswer> {
  return bootstrapAnswer(ports, await readBootstrap(tx, ports));
}

function bootstrapAnswer(ports: CampaignsPorts, state: BootstrapState): KeyAnswer {
  return {
    id: BOOTSTRAP_ID,
    kind: 'admin',
    project_id: null,
    name: BOOTSTRAP_ID,
    prefix: ports.bootstrap.prefix,
    scopes: [],
    rate_per_minute: null,
    created_at: answerTimeOrNull(state.createdUs),
    expires_at: null,
    last_used_at: answerTimeOrNull(state.lastUsedUs),
    revoked_at: answerTimeOrNull(state.revokedUs),
  };
}
