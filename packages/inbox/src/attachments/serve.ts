import type { RawBody } from '@postern/kit';
import { fail } from '../errors.ts';
import type { InboxPorts } from '../ports.ts';
import { parseRange } from './range.ts';

/** RFC 6266 with the RFC 8187 form for what ASCII cannot say. */
export function contentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/**
 * The bytes of an attachment. Always as a download, never sniffed and without rights of its own, since a
 * stranger may have sent it.
 *
 * @throws Failure NOT_FOUND, the same when it is unknown, gone, staged or in quarantine; VALIDATION_FAILED with
 *   status 416 when the range begins beyond the end.
 */
export async function attachmentAnswer(
  ports: InboxPorts,
  attachmentId: string,
  options: { quarantined: boolean; range: string | undefined },
): Promise<RawBody> {
  const row = await ports.store.db
    .selectFrom('inbox_attachments')
    .innerJoin('inbox_messages', 'inbox_messages.message_id', 'inbox_attachments.message_id')
    .select(['inbox_attachments.name', 'inbox_attachments.mime', 'inbox_messages.state'])
    .where('inbox_attachments.attachment_id', '=', attachmentId)
    .where('inbox_attachments.available', '=', 1)
    .executeTakeFirst();
  const blob =
    row && (row.state === 'accepted' || options.quarantined)
      ? await ports.blobs.open(attachmentId)
      : undefined;
  if (!row || !blob)
    throw fail('NOT_FOUND', `There is no attachment ${attachmentId}, or its bytes are gone.`);
  const headers = {
    'content-type': row.mime,
    'content-disposition': contentDisposition(row.name),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
    'accept-ranges': 'bytes',
  };
  const range = parseRange(options.range, blob.size);
  if (range === 'unsatisfiable') {
    throw fail('VALIDATION_FAILED', `Range: the attachment has only ${blob.size} bytes.`, {
      status: 416,
      headers: { 'content-range': `bytes */${blob.size}` },
    });
  }
  if (range === 'whole') {
    return {
      status: 200,
      headers: { ...headers, 'content-length': String(blob.size) },
      body: blob.stream(),
    };
  }
  return {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(range.end - range.start + 1),
      'content-range': `bytes ${range.start}-${range.end}/${blob.size}`,
    },
    body: blob.stream(range),
  };
}
