import * as z from 'zod';
import { deliverySchema, deliveryStates, pageOfDeliveries } from '../campaigns/deliveries.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { campaignIdSchema, projectIdField } from '../shapes/common.ts';

export const listCampaignDeliveries = operation({
  name: 'list_campaign_deliveries',
  call: 'Call it to see what became of a campaign for each recipient, such as who failed and why.',
  needs: 'Needs reports:read, and a campaign that was launched to find anybody.',
  returns: 'Returns a page of deliveries with state, reason and the answer of the mail server.',
  http: { method: 'GET', path: '/campaigns/:campaign_id/deliveries' },
  tool: true,
  rights: { scope: 'reports:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    campaign_id: campaignIdSchema,
    ...pageFields('dlv'),
    state: z.enum(deliveryStates).optional().describe('Only those in this state'),
  }),
  output: pageSchema(deliverySchema),
  errors: ['not_found', 'storage_timeout'],
  async handle({ campaign_id, limit, cursor, state }, { ports, projectId, signal }) {
    const request = { projectId, campaignId: campaign_id, limit, cursor, state };
    const { rows, next_cursor } = await pageOfDeliveries(ports, request, signal);
    return { data: rows, next_cursor };
  },
});
