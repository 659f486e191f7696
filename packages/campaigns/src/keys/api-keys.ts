import { problem } from '@postern/http';
import { forUpdate } from '@postern/store';
import { recordAct } from '../audit.ts';
import type { CampaignsCaller, Scope } from '../context.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { listed } from '../shapes/words.ts';
import type { KeyTable } from '../tables.ts';
import { type Revocation, revocation } from './revocation.ts';
import { insertKey } from './rows.ts';
import { type KeyAnswer, keyAnswer } from './shapes.ts';

export interface ApiKeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresUs: number | null;
  readonly ratePerMinute: number | null;
}

/**
 * Makes a key of a project. The secret is in this answer and nowhere else.
 *
 * @throws Failure forbidden when the caller is a key that would grant more than it has.
 */
export async function createApiKey(
  ports: CampaignsPorts,
  caller: CampaignsCaller,
  projectId: string,
  request: ApiKeyRequest,
): Promise<KeyAnswer & { secret: string }> {
  if (caller.kind === 'api') requireNoMoreThanOwn(caller, request);
  const { row, secret } = await ports.store.transaction(async (tx) => {
    const made = await insertKey(tx, ports, {
      kind: 'api',
      projectId,
      name: request.name,
      scopes: request.scopes,
      expiresUs: request.expiresUs,
      ratePerMinute: request.ratePerMinute ?? (caller.kind === 'api' ? ownRate(ports, caller) : null),
    });
    await recordAct(tx, ports, {
      actor: caller.keyId,
      action: 'create_api_key',
      target: made.row.key_id,
      details: { project_id: projectId, scopes: made.row.scopes },
    });
    return made;
  });
  return { ...keyAnswer(row), secret };
}

/** A key grants only scopes it holds, no later expiry, and no more requests (contract, section 1). */
function requireNoMoreThanOwn(caller: CampaignsCaller, request: ApiKeyRequest): void {
  const beyond = [...new Set(request.scopes)].filter((scope) => !caller.scopes.has(scope));
  if (beyond.length > 0) {
    throw problem(
      'forbidden',
      `scopes: this key does not hold ${listed(beyond)}, so it cannot grant ${beyond.length === 1 ? 'it' : 'them'}.`,
    );
  }
  if (caller.expiresUs !== null && (request.expiresUs === null || request.expiresUs > caller.expiresUs)) {
    throw problem('forbidden', 'expires_at: a key cannot make one that expires later than itself.');
  }
  if (request.ratePerMinute !== null && request.ratePerMinute > (caller.ratePerMinute ?? 0)) {
    throw problem(
      'forbidden',
      `rate_per_minute: a key cannot make one with more requests than its own ${caller.ratePerMinute}.`,
    );
  }
}

/** A limit of its own is handed down; the server's general one needs no copy. */
function ownRate(ports: CampaignsPorts, { ratePerMinute }: CampaignsCaller): number | null {
  return ratePerMinute === ports.config.rateLimit.perMinute ? null : ratePerMinute;
}

/** Keys of a project, oldest first, revoked and expired ones too. */
export async function pageOfApiKeys(
  ports: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<KeyTable>> {
  return page(
    request,
    'key',
    ({ after, limit }) => {
      const query = ports.store.db
        .selectFrom('mail_keys')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('kind', '=', 'api')
        .orderBy('key_id')
        .limit(limit);
      return (after === null ? query : query.where('key_id', '>', after)).execute();
    },
    (row) => row.key_id,
  );
}

/** Revokes a key of a project, or says what that would do. @throws Failure not_found. */
export async function revokeApiKey(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  keyId: string,
  dryRun: boolean,
): Promise<Revocation> {
  return ports.store.transaction(async (tx) => {
    const query = tx.selectFrom('mail_keys').selectAll().where('key_id', '=', keyId);
    const found = await forUpdate(
      tx,
      query.where('project_id', '=', projectId).where('kind', '=', 'api'),
    ).executeTakeFirst();
    if (!found) throw problem('not_found', `There is no key ${keyId} in this project.`);
    if (found.revoked_us !== null) return revocation('already_revoked', keyAnswer(found));
    if (dryRun) return revocation('would_revoke', keyAnswer(found));
    const revoked_us = ports.clock.nowMicroseconds();
    await tx.updateTable('mail_keys').set({ revoked_us }).where('key_id', '=', keyId).execute();
    await recordAct(tx, ports, { actor, action: 'revoke_api_key', target: keyId });
    return revocation('revoked', keyAnswer({ ...found, revoked_us }));
  });
}
