import { problem } from '@postern/http';
import { idSchema, type RawBody } from '@postern/kit';
import * as z from 'zod';
import type { CampaignsRights } from '../context.ts';
import { operation } from '../operation.ts';
import { answerTimeSchema } from '../shapes/common.ts';
import { capturedMails, capturedRaw } from './captured.ts';

const rights: CampaignsRights = { scope: 'admin', project: 'none' };
const reading = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

const listCapturedMessages = operation({
  name: 'list_captured_messages',
  call: 'Call it to see what the capture transport kept, newest first.',
  needs: 'Needs an admin key.',
  returns: 'Returns the envelopes, subjects and sizes of the newest mails.',
  http: { method: 'GET', path: '/messages' },
  rights,
  annotations: reading,
  input: z.strictObject({
    to: z.string().min(1).max(320).optional().describe('Only mails to this address'),
    limit: z.int().min(1).max(100).default(50).describe('How many to answer at most'),
  }),
  output: z.strictObject({
    data: z.array(
      z.strictObject({
        id: idSchema('cap'),
        from: z.string(),
        to: z.string(),
        subject: z.string(),
        size: z.int(),
        created_at: answerTimeSchema,
      }),
    ),
  }),
  errors: [],
  async handle({ to, limit }, { ports }) {
    return { data: await capturedMails(ports, { to: to ?? null, limit }) };
  },
});

const getCapturedMessage = operation({
  name: 'get_captured_message',
  call: 'Call it to read a captured mail as it would have left.',
  needs: 'Needs an admin key.',
  returns: 'Returns the message, byte for byte.',
  http: { method: 'GET', path: '/messages/:captured_id/raw', produces: 'message/rfc822' },
  rights,
  annotations: reading,
  input: z.strictObject({ captured_id: idSchema('cap') }),
  output: z.string(),
  errors: ['not_found'],
  async handle({ captured_id }, { ports }): Promise<RawBody> {
    const body = await capturedRaw(ports, captured_id);
    if (body === null) throw problem('not_found', `There is no captured mail ${captured_id}.`);
    // Never shown as a page: a mail's HTML is somebody else's.
    return {
      status: 200,
      headers: {
        'content-type': 'message/rfc822',
        'content-disposition': `attachment; filename="${captured_id}.eml"`,
      },
      body,
    };
  },
});

/** The two routes of the capture transport, under /captured/api. */
export const capturedOperations = [listCapturedMessages, getCapturedMessage];
