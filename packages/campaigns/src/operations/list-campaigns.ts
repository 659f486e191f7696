import * as z from 'zod';
import { pageOfCampaigns } from '../campaigns/campaigns.ts';
import { campaignLife } from '../campaigns/lifecycle.ts';
import { campaignSchema } from '../campaigns/shapes.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField } from '../shapes/common.ts';

export const listCampaigns = operation({
  name: 'list_campaigns',
  call: 'Call it to see which campaigns a project has and how far each is.',
  needs: 'Needs campaigns:read.',
  returns: 'Returns a page of campaigns with their counts, oldest first.',
  http: { method: 'GET', path: '/campaigns' },
  tool: true,
  rights: { scope: 'campaigns:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    ...pageFields('cmp'),
    state: z.enum(campaignLife.states).optional().describe('Only those in this state'),
  }),
  output: pageSchema(campaignSchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfCampaigns(ports, projectId, input);
    return { data: rows, next_cursor };
  },
});
