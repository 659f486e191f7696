import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, subscriberIdSchema } from '../shapes/common.ts';
import { consentInput, evidenceRule, subscriberInput, subscriberSchema } from '../subscribers/shapes.ts';
import { updateSubscriber as update } from '../subscribers/update.ts';

export const updateSubscriber = operation({
  name: 'update_subscriber',
  call: "Call it to change a subscriber's name or attributes, or to take back somebody who left and agreed anew.",
  needs:
    'Needs subscribers:write, and a subscriber that was not erased; resubscribe needs evidence and an address that is not suppressed.',
  returns: 'Returns the subscriber after the change; attributes you leave out stay, and null takes one away.',
  http: { method: 'PATCH', path: '/subscribers/:subscriber_id' },
  tool: true,
  rights: { scope: 'subscribers:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  input: z
    .strictObject({
      ...projectIdField,
      subscriber_id: subscriberIdSchema,
      name: subscriberInput.name.optional(),
      attributes: subscriberInput.attributes.optional(),
      email: z
        .string()
        .refine(() => false, {
          error: 'cannot be changed: the address is the subscriber; add the new one and unsubscribe this',
          params: { code: 'immutable' },
        })
        .optional()
        .describe('Never accepted: an address cannot be changed'),
      ...consentInput,
    })
    .refine(...evidenceRule),
  output: subscriberSchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ subscriber_id, project_id: _, email: __, ...patch }, { ports, caller, projectId }) =>
    update(ports, caller.keyId, projectId, subscriber_id, patch),
});
