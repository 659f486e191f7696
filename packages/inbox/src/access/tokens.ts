import { secretHash } from '@postern/http';
import { formatMicroseconds } from '@postern/kit';
import type { Selectable } from 'kysely';
import type { InboxScope } from '../context.ts';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';
import type { TokenTable } from '../tables.ts';
import { recordAct } from './audit.ts';

export interface AgentToken {
  readonly token_id: string;
  readonly name: string;
  readonly agent_id: string;
  readonly scopes: InboxScope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** `last_used_at` is kept to the minute, so that polling does not write each time. */
const LAST_USED_STEP_US = 60_000_000;

function tokenOf(row: Selectable<TokenTable>): AgentToken {
  return {
    token_id: row.token_id,
    name: row.name,
    agent_id: row.agent_id,
    scopes: row.scopes
      .split(' ')
      .filter((scope): scope is InboxScope => scope === 'read' || scope === 'send'),
    created_at: formatMicroseconds(row.created_us),
    last_used_at: row.last_used_us === null ? null : formatMicroseconds(row.last_used_us),
  };
}

/** Makes a token bound to one agent; only its SHA-256 is kept, the secret is shown this once. */
export async function createToken(
  ports: InboxPorts,
  request: { agentId: string; scopes: readonly InboxScope[]; name: string; actor: string },
): Promise<AgentToken & { token: string }> {
  const secret = `pst_agent_${Buffer.from(ports.random.bytes(32)).toString('base64url')}`;
  const row = {
    token_id: ports.newId('tok'),
    name: request.name,
    agent_id: request.agentId,
    scopes: [...new Set(request.scopes)].sort().join(' '),
    token_hash: secretHash(secret),
    created_us: ports.clock.nowMicroseconds(),
    last_used_us: null,
  };
  await ports.store.transaction(async (tx) => {
    await tx.insertInto('inbox_tokens').values(row).execute();
    await recordAct(tx, ports, {
      actor: request.actor,
      action: 'token.create',
      target: row.token_id,
      details: { agent_id: row.agent_id, scopes: row.scopes },
    });
  });
  return { ...tokenOf(row), token: secret };
}

export async function listTokens({ store }: Pick<InboxPorts, 'store'>): Promise<AgentToken[]> {
  const rows = await store.db
    .selectFrom('inbox_tokens')
    .selectAll()
    .orderBy('created_us')
    .orderBy('token_id')
    .execute();
  return rows.map(tokenOf);
}

/** @throws Failure NOT_FOUND when there is no such token. */
export async function revokeToken(ports: InboxPorts, tokenId: string, actor: string): Promise<void> {
  await ports.store.transaction(async (tx) => {
    const removed = await tx
      .deleteFrom('inbox_tokens')
      .where('token_id', '=', tokenId)
      .returning('agent_id')
      .executeTakeFirst();
    if (!removed) throw fail('NOT_FOUND', `There is no token ${tokenId}.`);
    await recordAct(tx, ports, {
      actor,
      action: 'token.revoke',
      target: tokenId,
      details: { agent_id: removed.agent_id },
    });
  });
}

/** The token a secret belongs to; null when it was never given out or is revoked. */
export async function findToken(
  ports: Pick<InboxPorts, 'store' | 'clock'>,
  secret: string,
): Promise<AgentToken | null> {
  const row = await ports.store.db
    .selectFrom('inbox_tokens')
    .selectAll()
    .where('token_hash', '=', secretHash(secret))
    .executeTakeFirst();
  if (!row) return null;
  const now = ports.clock.nowMicroseconds();
  if (row.last_used_us === null || now - row.last_used_us > LAST_USED_STEP_US) {
    await ports.store.db
      .updateTable('inbox_tokens')
      .set({ last_used_us: now })
      .where('token_id', '=', row.token_id)
      .execute();
  }
  return tokenOf(row);
}
