import * as z from 'zod';
import { deliverySchema } from '../access/shapes.ts';
import { operation } from '../operation.ts';

export const listWebhookDeliveries = operation({
  name: 'list_webhook_deliveries',
  call: 'Call it to see which pushes to your webhooks wait, were taken, or were given up.',
  needs: 'Needs an admin key.',
  returns: 'Returns deliveries of one state, newest first, and `next_cursor` for more.',
  http: { method: 'GET', path: '/webhooks/deliveries' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    state: z.enum(['pending', 'done', 'dead']).default('dead'),
    limit: z.int().min(1).max(100).default(50),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'must be a next_cursor of this list')
      .optional(),
  }),
  output: z.strictObject({ deliveries: z.array(deliverySchema), next_cursor: z.string().nullable() }),
  errors: [],
  handle: (input, { inbox }) =>
    inbox.webhookDeliveries({ state: input.state, limit: input.limit, cursor: input.cursor ?? null }),
});
