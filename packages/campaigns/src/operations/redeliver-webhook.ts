import * as z from 'zod';
import { operation } from '../operation.ts';
import { deliveryIdSchema, projectIdField, webhookIdSchema } from '../shapes/common.ts';
import { redeliver } from '../webhooks/deliveries.ts';
import { webhookDeliverySchema } from '../webhooks/shapes.ts';

export const redeliverWebhook = operation({
  name: 'redeliver_webhook',
  call: 'Call it to post an event again, after its receiver was away or had lost it.',
  needs: 'Needs webhooks:write, a delivery that is done or dead, and a webhook that is enabled.',
  returns: 'Returns the delivery, pending again under the same id.',
  http: { method: 'POST', path: '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver' },
  tool: true,
  rights: { scope: 'webhooks:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject({ ...projectIdField, webhook_id: webhookIdSchema, delivery_id: deliveryIdSchema }),
  output: webhookDeliverySchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ webhook_id, delivery_id }, { ports, caller, projectId }) =>
    redeliver(ports, caller.keyId, projectId, webhook_id, delivery_id),
});
