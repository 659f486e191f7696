import * as z from 'zod';
import { operation } from '../operation.ts';
import { addressSchema } from '../shapes/address.ts';
import { listIdSchema, projectIdField } from '../shapes/common.ts';
import { findSubscriber as find } from '../subscribers/read.ts';
import { subscriberSchema } from '../subscribers/shapes.ts';

export const findSubscriber = operation({
  name: 'find_subscriber',
  call: 'Call it to learn whether an address is on a list, and in which status.',
  needs: 'Needs subscribers:read, and the whole address; case and the spelling of the domain do not matter.',
  returns: 'Returns the subscriber, or not_found when the address is not on the list.',
  http: { method: 'GET', path: '/lists/:list_id/subscribers/find' },
  tool: true,
  rights: { scope: 'subscribers:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, list_id: listIdSchema, email: addressSchema }),
  output: subscriberSchema,
  errors: ['not_found'],
  handle: ({ list_id, email }, { ports, projectId }) => find(ports, projectId, list_id, email),
});
