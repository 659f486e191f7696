import * as z from 'zod';
import { pageOfEmails } from '../emails/emails.ts';
import { emailSchema } from '../emails/shapes.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { addressSchema } from '../shapes/address.ts';
import { lineSchema, projectIdField } from '../shapes/common.ts';

export const listEmails = operation({
  name: 'list_emails',
  call: 'Call it to find mails that send_email queued, by reference or recipient.',
  needs: 'Needs emails:read.',
  returns: 'Returns a page of e-mails, oldest first.',
  http: { method: 'GET', path: '/emails' },
  tool: true,
  rights: { scope: 'emails:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    reference: lineSchema(1, 200).optional().describe('Only those with this reference'),
    to: addressSchema.optional().describe('Only those to this address, in any spelling'),
    ...pageFields('eml'),
  }),
  output: pageSchema(emailSchema),
  errors: [],
  async handle({ reference, to, ...request }, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfEmails(ports, projectId, { reference, to }, request);
    return { data: rows, next_cursor };
  },
});
