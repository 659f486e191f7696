import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, subscriberIdSchema, textSchema } from '../shapes/common.ts';
import { subscriberSchema } from '../subscribers/shapes.ts';
import { unsubscribeSubscriber as unsubscribe } from '../subscribers/unsubscribe.ts';

export const unsubscribeSubscriber = operation({
  name: 'unsubscribe_subscriber',
  call: 'Call it when somebody wants no more mails of a list; for none of the whole project, call add_suppression.',
  needs: 'Needs subscribers:write, and a subscriber that was not erased.',
  returns:
    'Returns the subscriber, now unsubscribed; a complaint stays a complaint, and a repeat changes nothing.',
  http: { method: 'POST', path: '/subscribers/:subscriber_id/unsubscribe' },
  tool: true,
  rights: { scope: 'subscribers:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    subscriber_id: subscriberIdSchema,
    reason: textSchema(500).optional().describe('Why, in their words; shown in their history'),
  }),
  output: subscriberSchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ subscriber_id, reason }, { ports, caller, projectId }) =>
    unsubscribe(ports, projectId, subscriber_id, {
      source: 'api',
      reason: reason ?? null,
      campaignId: null,
      actor: caller.keyId,
    }),
});
