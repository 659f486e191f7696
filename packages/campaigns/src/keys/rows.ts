import { secretHash } from '@postern/http';
import type { Scope } from '../context.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import type { KeyTable } from '../tables.ts';
import { newKeySecret, prefixOf } from './secrets.ts';

export interface NewKey {
  readonly kind: 'admin' | 'api';
  readonly projectId: string | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresUs: number | null;
  readonly ratePerMinute: number | null;
}

/** Makes a key; only its hash is kept, so the secret is in nobody's hands but the caller's. */
export async function insertKey(
  tx: CampaignsTransaction,
  ports: Pick<CampaignsPorts, 'clock' | 'random' | 'newId'>,
  key: NewKey,
): Promise<{ row: KeyTable; secret: string }> {
  const secret = newKeySecret(key.kind, ports.random);
  const row: KeyTable = {
    key_id: ports.newId('key'),
    kind: key.kind,
    project_id: key.projectId,
    name: key.name,
    prefix: prefixOf(secret),
    secret_hash: secretHash(secret),
    scopes: [...new Set(key.scopes)].sort().join(' '),
    rate_per_minute: key.ratePerMinute,
    created_us: ports.clock.nowMicroseconds(),
    expires_us: key.expiresUs,
    last_used_us: null,
    revoked_us: null,
  };
  await tx.insertInto('mail_keys').values(row).execute();
  return { row, secret };
}

export function scopesOf(row: Pick<KeyTable, 'scopes'>): Scope[] {
  return row.scopes === '' ? [] : (row.scopes.split(' ') as Scope[]);
}

/** Neither revoked nor expired. */
export function isAlive(row: Pick<KeyTable, 'expires_us' | 'revoked_us'>, nowUs: number): boolean {
  return row.revoked_us === null && (row.expires_us === null || row.expires_us > nowUs);
}
