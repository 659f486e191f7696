import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, webhookIdSchema } from '../shapes/common.ts';
import { webhookSchema } from '../webhooks/shapes.ts';
import { getWebhook as get } from '../webhooks/webhooks.ts';

export const getWebhook = operation({
  name: 'get_webhook',
  call: 'Call it to read one webhook by id.',
  needs: 'Needs webhooks:read.',
  returns: 'Returns the webhook without its secret.',
  http: { method: 'GET', path: '/webhooks/:webhook_id' },
  tool: true,
  rights: { scope: 'webhooks:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, webhook_id: webhookIdSchema }),
  output: webhookSchema,
  errors: ['not_found'],
  handle: ({ webhook_id }, { ports, projectId }) => get(ports, projectId, webhook_id),
});
