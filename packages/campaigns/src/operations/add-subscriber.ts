import { answer } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';
import { addressSchema } from '../shapes/address.ts';
import { listIdSchema, projectIdField } from '../shapes/common.ts';
import { addSubscriber as add } from '../subscribers/add.ts';
import { consentInput, evidenceRule, subscriberInput, subscriberSchema } from '../subscribers/shapes.ts';

export const addSubscriber = operation({
  name: 'add_subscriber',
  call: 'Call it to put one person on a list; for many, call import_subscribers.',
  needs:
    'Needs subscribers:write, and an address that is not suppressed; a double opt-in list sends a confirmation mail, for which it needs from.',
  returns:
    'Returns the subscriber, new or, when on the list before, with what you gave taken over and the status as it was.',
  http: { method: 'POST', path: '/lists/:list_id/subscribers', status: 201 },
  tool: true,
  rights: { scope: 'subscribers:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  input: z
    .strictObject({
      ...projectIdField,
      list_id: listIdSchema,
      email: addressSchema,
      name: subscriberInput.name.optional(),
      attributes: subscriberInput.attributes.optional(),
      ...consentInput,
    })
    .refine(...evidenceRule),
  output: subscriberSchema,
  errors: ['not_found', 'precondition_failed'],
  async handle({ list_id, project_id: _, ...given }, { ports, caller, projectId }) {
    const { created, subscriber } = await add(ports, caller.keyId, projectId, list_id, given);
    return answer(subscriber, {}, created ? 201 : 200);
  },
});
