import * as z from 'zod';
import { deliverySchema } from '../access/shapes.ts';
import { operation } from '../operation.ts';

export const replayWebhookDelivery = operation({
  name: 'replay_webhook_delivery',
  call: 'Call it to push a dead delivery once more, with its attempts counted from the start.',
  needs: 'Needs an admin key and a delivery that is dead.',
  returns: 'Returns the delivery, pending again.',
  http: { method: 'POST', path: '/webhooks/deliveries/:delivery_id/replay' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject({ delivery_id: z.string().regex(/^\d{1,15}$/, 'must be the id of a delivery') }),
  output: z.strictObject({ delivery: deliverySchema }),
  errors: ['NOT_FOUND'],
  handle: async (input, { inbox, caller }) => ({
    delivery: await inbox.replayDelivery(input.delivery_id, caller.credential),
  }),
});
