import * as z from 'zod';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { effectSchema, projectIdField, subscriberIdSchema } from '../shapes/common.ts';
import { eraseSubscriber as erase } from '../subscribers/erase/erase.ts';
import { subscriberSchema } from '../subscribers/shapes.ts';

const input = z.strictObject({ ...projectIdField, subscriber_id: subscriberIdSchema });

export const eraseSubscriber = operation({
  name: 'erase_subscriber',
  call: 'Call it when a person wants their data gone: it erases them from every list of the project and from all that was sent, for good.',
  needs: 'Needs subscribers:write, and confirm: true to do it.',
  returns:
    'Returns the outcome, what goes with the person, and the subscriber; the address stays suppressed as a hash, so nobody can import it again.',
  http: { method: 'DELETE', path: '/subscribers/:subscriber_id' },
  tool: true,
  rights: { scope: 'subscribers:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({
    outcome: z.enum(['would_erase', 'erased']),
    effect: effectSchema,
    subscriber: subscriberSchema,
  }),
  errors: ['not_found'],
  handle: ({ subscriber_id }, { ports, caller, projectId, dryRun }) =>
    erase(ports, caller.keyId, projectId, subscriber_id, dryRun),
});
