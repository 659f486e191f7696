import type { CampaignsPorts } from '../ports.ts';
import { answerTimeOrNull } from '../shapes/common.ts';
import { BOOTSTRAP_ID, bootstrapState } from './bootstrap.ts';
import type { KeyAnswer } from './shapes.ts';

/** The configuration's admin key, as the list of keys shows it. */
export async function bootstrapKey(ports: CampaignsPorts): Promise<KeyAnswer> {
  const state = await bootstrapState(ports);
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
