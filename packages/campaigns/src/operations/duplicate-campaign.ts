import * as z from 'zod';
import { duplicateCampaign as duplicate } from '../campaigns/campaigns.ts';
import { campaignInput, campaignSchema } from '../campaigns/shapes.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, projectIdField } from '../shapes/common.ts';

export const duplicateCampaign = operation({
  name: 'duplicate_campaign',
  call: 'Call it to draft a new campaign from the content and audience of another, in whatever state that is.',
  needs: 'Needs campaigns:write.',
  returns: 'Returns the new campaign, a draft without a send time.',
  http: { method: 'POST', path: '/campaigns/:campaign_id/duplicate', status: 201 },
  tool: true,
  rights: { scope: 'campaigns:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    campaign_id: campaignIdSchema,
    name: campaignInput.name.optional().describe('Name of the new one; "<name> (copy)" without it'),
  }),
  output: campaignSchema,
  errors: ['not_found'],
  handle: ({ campaign_id, name }, { ports, caller, projectId }) =>
    duplicate(ports, caller.keyId, projectId, campaign_id, name),
});
