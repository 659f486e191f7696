import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField, webhookIdSchema } from '../shapes/common.ts';
import { pageOfDeliveries } from '../webhooks/deliveries.ts';
import { webhookDeliverySchema, webhookDeliveryStates } from '../webhooks/shapes.ts';

export const listWebhookDeliveries = operation({
  name: 'list_webhook_deliveries',
  call: 'Call it to see which events were posted to a webhook, and what its receiver answered.',
  needs: 'Needs webhooks:read.',
  returns: 'Returns a page of deliveries of the last 30 days, newest first.',
  http: { method: 'GET', path: '/webhooks/:webhook_id/deliveries' },
  tool: true,
  rights: { scope: 'webhooks:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    webhook_id: webhookIdSchema,
    state: z.enum(webhookDeliveryStates).optional().describe('Only deliveries in this state'),
    ...pageFields('dlv'),
  }),
  output: pageSchema(webhookDeliverySchema),
  errors: ['not_found'],
  async handle({ webhook_id, ...request }, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfDeliveries(ports, projectId, webhook_id, request);
    return { data: rows, next_cursor };
  },
});
