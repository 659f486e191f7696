import * as z from 'zod';
import { deleteCampaign as remove } from '../campaigns/campaigns.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, effectSchema, projectIdField } from '../shapes/common.ts';

export const deleteCampaign = operation({
  name: 'delete_campaign',
  call: 'Call it to delete a draft, for good.',
  needs: 'Needs campaigns:write, and a campaign that is draft.',
  returns: 'Returns that it is deleted.',
  http: { method: 'DELETE', path: '/campaigns/:campaign_id', status: 204 },
  tool: true,
  rights: { scope: 'campaigns:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, campaign_id: campaignIdSchema }),
  output: z.strictObject({ outcome: z.literal('deleted'), effect: effectSchema, campaign: z.null() }),
  errors: ['not_found', 'precondition_failed'],
  async handle({ campaign_id }, { ports, caller, projectId }) {
    const { effect } = await remove(ports, caller.keyId, projectId, campaign_id);
    return { outcome: 'deleted' as const, effect, campaign: null };
  },
});
