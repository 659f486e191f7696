import { problem } from '@postern/http';
import * as z from 'zod';
import { contentDisposition } from '../content-disposition.ts';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

export const readAttachment = operation({
  name: 'read_local_attachment',
  call: 'Call it to get the bytes of an attachment of the local chat.',
  needs: 'Needs an admin key, and a message that still has the attachment.',
  returns: 'Returns the bytes with their media type.',
  http: { method: 'GET', path: '/attachments/:attachment_id', produces: 'application/octet-stream' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ attachment_id: reference }),
  output: z.unknown(),
  errors: ['not_found'],
  async handle({ attachment_id }, { chat }) {
    const file = await chat.readAttachment(attachment_id);
    if (file === null) throw problem('not_found', `No attachment ${attachment_id} exists.`);
    return {
      status: 200,
      headers: {
        'content-type': file.mime.startsWith('text/') ? `${file.mime}; charset=utf-8` : file.mime,
        'content-length': String(file.sizeBytes),
        'content-disposition': contentDisposition(file),
        // Somebody's file, on the console's own origin: it may be looked at and do nothing.
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, max-age=3600',
      },
      body: await file.open(),
    };
  },
});
