import { answer } from '@postern/kit';
import * as z from 'zod';
import { contentInput } from '../content/shapes.ts';
import { sendEmail as send } from '../emails/send.ts';
import { emailSchema } from '../emails/shapes.ts';
import { operation } from '../operation.ts';
import { addressSchema, senderInput } from '../shapes/address.ts';
import { lineSchema, projectIdField, templateIdSchema } from '../shapes/common.ts';

export const sendEmail = operation({
  name: 'send_email',
  call: 'Call it to send one mail to one person: a receipt, a password link; not for mails to many.',
  needs:
    'Needs emails:write; a subject and a body, or a template that has them; under SMTP a verified sending domain.',
  returns:
    'Returns the e-mail, pending, or failed when its recipient is suppressed. A reference used within 24 hours answers the first e-mail.',
  http: { method: 'POST', path: '/emails', status: 201 },
  tool: true,
  rights: { scope: 'emails:write', project: 'context', references: { template_id: 'template' } },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject({
    ...projectIdField,
    to: addressSchema.describe('The one recipient'),
    from: senderInput,
    reply_to: addressSchema.nullable().default(null),
    subject: contentInput.subject.nullable().default(null),
    html: contentInput.html.nullable().default(null),
    text: contentInput.text.nullable().default(null),
    template_id: templateIdSchema.nullable().default(null),
    data: z.record(z.string(), z.json()).default({}).describe('Variables for the Liquid, by name'),
    reference: lineSchema(1, 200)
      .nullable()
      .default(null)
      .describe('Your name for it, unique in the project for 24 hours'),
  }),
  output: emailSchema,
  errors: ['not_found', 'precondition_failed'],
  async handle({ project_id: _, ...request }, { ports, caller, projectId }) {
    const { email, isNew } = await send(ports, caller.keyId, projectId, request);
    return isNew ? email : answer(email, {}, 200);
  },
});
