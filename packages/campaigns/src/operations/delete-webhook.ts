import * as z from 'zod';
import { operation } from '../operation.ts';
import { effectSchema, projectIdField, webhookIdSchema } from '../shapes/common.ts';
import { deleteWebhook as remove } from '../webhooks/webhooks.ts';

export const deleteWebhook = operation({
  name: 'delete_webhook',
  call: 'Call it to delete a webhook, for good; update_webhook with enabled: false only holds it.',
  needs: 'Needs webhooks:write.',
  returns: 'Returns that it is deleted. What was still on its way to it is not delivered.',
  http: { method: 'DELETE', path: '/webhooks/:webhook_id', status: 204 },
  tool: true,
  rights: { scope: 'webhooks:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, webhook_id: webhookIdSchema }),
  output: z.strictObject({ outcome: z.literal('deleted'), effect: effectSchema, webhook: z.null() }),
  errors: ['not_found'],
  async handle({ webhook_id }, { ports, caller, projectId }) {
    const { effect } = await remove(ports, caller.keyId, projectId, webhook_id);
    return { outcome: 'deleted' as const, effect, webhook: null };
  },
});
