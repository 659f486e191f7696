import * as z from 'zod';
import { getCampaign as get } from '../campaigns/campaigns.ts';
import { campaignSchema } from '../campaigns/shapes.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, projectIdField } from '../shapes/common.ts';

export const getCampaign = operation({
  name: 'get_campaign',
  call: 'Call it to read one campaign and how far it is.',
  needs: 'Needs campaigns:read.',
  returns: 'Returns the campaign with its state and counts.',
  http: { method: 'GET', path: '/campaigns/:campaign_id' },
  tool: true,
  rights: { scope: 'campaigns:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, campaign_id: campaignIdSchema }),
  output: campaignSchema,
  errors: ['not_found'],
  handle: ({ campaign_id }, { ports, projectId }) => get(ports, projectId, campaign_id),
});
