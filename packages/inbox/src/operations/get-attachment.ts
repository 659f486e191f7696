import * as z from 'zod';
import { attachmentIdSchema } from '../envelope.ts';
import { fail } from '../errors.ts';
import { operation } from '../operation.ts';

export const getAttachment = operation({
  name: 'get_attachment',
  call: 'Call it to fetch the bytes of an attachment, by the address in an envelope.',
  needs: 'Needs the signature in that address while it is fresh, or a bearer.',
  returns: 'Returns the bytes, whole or the range asked for.',
  http: {
    method: 'GET',
    path: '/attachments/:attachment_id',
    produces: 'application/octet-stream',
    headers: {
      range: 'One byte range, as in RFC 9110',
      'if-range': 'Never matches, as attachments have no validators: with it the whole comes',
    },
  },
  rights: { scope: 'attachment', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({
    attachment_id: attachmentIdSchema,
    expires: z.int().min(0).optional(),
    signature: z.string().max(200).optional(),
  }),
  output: z.unknown(),
  errors: ['NOT_FOUND'],
  async handle(input, { inbox, caller, header }) {
    const audience =
      input.expires === undefined || input.signature === undefined
        ? null
        : inbox.attachmentAudience(input.attachment_id, input.expires, input.signature);
    if (caller.kind === 'signature' && audience === null) {
      throw fail(
        'UNAUTHORIZED',
        'The address has expired or is not one of this hub; list the message again for a fresh one.',
        {
          headers: { 'www-authenticate': 'Bearer realm="postern"' },
        },
      );
    }
    return inbox.attachment(input.attachment_id, {
      quarantined: caller.kind === 'admin' || audience === 'operator',
      range: header('if-range') === undefined ? header('range') : undefined,
    });
  },
});
