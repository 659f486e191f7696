import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField } from '../shapes/common.ts';
import { webhookSchema } from '../webhooks/shapes.ts';
import { pageOfWebhooks } from '../webhooks/webhooks.ts';

export const listWebhooks = operation({
  name: 'list_webhooks',
  call: 'Call it to see where the events of a project are posted to.',
  needs: 'Needs webhooks:read.',
  returns: 'Returns a page of webhooks without their secrets, oldest first.',
  http: { method: 'GET', path: '/webhooks' },
  tool: true,
  rights: { scope: 'webhooks:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...pageFields('whk') }),
  output: pageSchema(webhookSchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfWebhooks(ports, projectId, input);
    return { data: rows, next_cursor };
  },
});
