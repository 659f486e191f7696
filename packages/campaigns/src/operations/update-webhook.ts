import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, webhookIdSchema } from '../shapes/common.ts';
import { webhookInput, webhookSchema } from '../webhooks/shapes.ts';
import { updateWebhook as update } from '../webhooks/webhooks.ts';

export const updateWebhook = operation({
  name: 'update_webhook',
  call: 'Call it to change where a webhook leads or what it hears of, or to switch it off and on; what you leave out stays.',
  needs: 'Needs webhooks:write.',
  returns: 'Returns the webhook after the change; its secret stays the same.',
  http: { method: 'PATCH', path: '/webhooks/:webhook_id' },
  tool: true,
  rights: { scope: 'webhooks:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: z.strictObject({
    ...projectIdField,
    webhook_id: webhookIdSchema,
    url: webhookInput.url.optional(),
    events: webhookInput.events.optional(),
    enabled: webhookInput.enabled.optional(),
  }),
  output: webhookSchema,
  errors: ['not_found'],
  handle: ({ webhook_id, project_id: _, ...patch }, { ports, caller, projectId }) =>
    update(ports, caller.keyId, projectId, webhook_id, patch),
});
