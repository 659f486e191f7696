import type { CampaignsContext } from '../context.ts';
import { projectAnswer } from '../projects/shapes.ts';
import { bootstrapKey } from './admin-keys.ts';
import { BOOTSTRAP_ID } from './bootstrap.ts';
import { type KeyAnswer, keyAnswer } from './shapes.ts';

/** The key a request came with, as its holder may see it. */
export async function describeCaller({ ports, caller, allowance }: CampaignsContext) {
  const project =
    caller.projectId === null
      ? undefined
      : await ports.store.db
          .selectFrom('mail_projects')
          .selectAll()
          .where('project_id', '=', caller.projectId)
          .executeTakeFirst();
  return {
    key: await keyOf(ports, caller.keyId),
    project: project === undefined ? null : projectAnswer(project),
    rate_limit: {
      limit: allowance.limit,
      remaining: allowance.remaining,
      reset_seconds: allowance.resetSeconds,
    },
  };
}

async function keyOf(ports: CampaignsContext['ports'], keyId: string): Promise<KeyAnswer> {
  if (keyId === BOOTSTRAP_ID) return bootstrapKey(ports);
  const row = await ports.store.db
    .selectFrom('mail_keys')
    .selectAll()
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  if (row) return keyAnswer(row);
  // A login to the console: an admin without a key.
  return {
    id: keyId,
    kind: 'admin',
    project_id: null,
    name: keyId,
    prefix: '',
    scopes: [],
    rate_per_minute: null,
    created_at: null,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  };
}
