import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, subscriberIdSchema } from '../shapes/common.ts';
import { getSubscriber as get } from '../subscribers/read.ts';
import { subscriberSchema } from '../subscribers/shapes.ts';

export const getSubscriber = operation({
  name: 'get_subscriber',
  call: 'Call it to read one subscriber by id; with an address, call find_subscriber.',
  needs: 'Needs subscribers:read.',
  returns: 'Returns the subscriber; of one that was erased, the id and the status alone.',
  http: { method: 'GET', path: '/subscribers/:subscriber_id' },
  tool: true,
  rights: { scope: 'subscribers:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, subscriber_id: subscriberIdSchema }),
  output: subscriberSchema,
  errors: ['not_found'],
  handle: ({ subscriber_id }, { ports, projectId }) => get(ports, projectId, subscriber_id),
});
