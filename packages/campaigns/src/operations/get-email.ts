import * as z from 'zod';
import { getEmail as get } from '../emails/emails.ts';
import { emailSchema } from '../emails/shapes.ts';
import { operation } from '../operation.ts';
import { emailIdSchema, projectIdField } from '../shapes/common.ts';

export const getEmail = operation({
  name: 'get_email',
  call: 'Call it to see what became of a mail that send_email queued.',
  needs: 'Needs emails:read.',
  returns: 'Returns the e-mail with its state and what the mail server said.',
  http: { method: 'GET', path: '/emails/:email_id' },
  tool: true,
  rights: { scope: 'emails:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, email_id: emailIdSchema }),
  output: emailSchema,
  errors: ['not_found'],
  handle: ({ email_id }, { ports, projectId }) => get(ports, projectId, email_id),
});
