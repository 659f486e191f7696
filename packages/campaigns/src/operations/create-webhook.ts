import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField } from '../shapes/common.ts';
import { webhookInput, webhookSchema } from '../webhooks/shapes.ts';
import { createWebhook as create } from '../webhooks/webhooks.ts';

export const createWebhook = operation({
  name: 'create_webhook',
  call: 'Call it to have events of a project posted to an address, signed after the Standard Webhooks scheme.',
  needs: 'Needs webhooks:write, and an http or https address that the hub may reach.',
  returns: 'Returns the webhook with its secret, which is shown this once.',
  http: { method: 'POST', path: '/webhooks', status: 201 },
  tool: true,
  rights: { scope: 'webhooks:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject({
    ...projectIdField,
    url: webhookInput.url,
    events: webhookInput.events,
    enabled: webhookInput.enabled.default(true),
  }),
  output: webhookSchema,
  errors: [],
  handle: ({ project_id: _, ...fields }, { ports, caller, projectId }) =>
    create(ports, caller.keyId, projectId, fields),
});
