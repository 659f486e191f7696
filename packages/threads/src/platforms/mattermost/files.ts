import { Readable } from 'node:stream';
import { type OutgoingFile, PlatformError, type PostFile, type PostRef } from '../platform.ts';
import { isMattermostId } from './address.ts';
import { type MattermostApi, transferDeadline } from './api.ts';
import type { Publishing } from './publishing.ts';
import { wireUpload } from './wire.ts';

export interface Files {
  upload(file: OutgoingFile): Promise<PostRef>;
  download(file: PostFile, options: { maxBytes: number; signal?: AbortSignal }): Promise<Uint8Array>;
}

export interface FilesPorts {
  readonly api: MattermostApi;
  readonly posts: Publishing;
  newKey(): string;
  /** Largest file the server takes, in bytes; null where that is not known. */
  limit(): number | null;
}

export function files({ api, posts, newKey, limit }: FilesPorts): Files {
  async function send(file: OutgoingFile): Promise<string> {
    const boundary = `postern-${newKey()}`;
    const head = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="channel_id"\r\n\r\n${file.channelId}\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${quoted(file.name)}"\r\n` +
        `Content-Type: ${mimeOr(file.mime)}\r\n\r\n`,
    );
    const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    const { file_infos } = await api.run({
      name: 'upload a file',
      // The content can be read once only. An upload that no post names is seen by nobody.
      isIdempotent: false,
      deadlineMs: transferDeadline(file.sizeBytes),
      attempt: (signal) =>
        api.once(
          {
            name: 'upload a file',
            method: 'POST',
            path: '/files',
            query: { channel_id: file.channelId },
            body: {
              type: `multipart/form-data; boundary=${boundary}`,
              length: head.length + file.sizeBytes + tail.length,
              stream: Readable.from(framed(head, file, tail)),
            },
            schema: wireUpload,
          },
          signal,
        ),
    });
    const id = file_infos[0]?.id;
    if (id === undefined) throw new PlatformError('refused', 'the server took no file');
    return id;
  }

  return {
    async upload(file) {
      if (file.sizeBytes < 1) throw new PlatformError('refused', 'an empty file is not sent');
      const most = limit();
      if (most !== null && file.sizeBytes > most) {
        throw new PlatformError('too_large', `the server takes files of at most ${most} bytes`);
      }
      const id = await send(file).catch((error: unknown) => {
        // Without its post nobody sees the file, so nothing was done.
        if (error instanceof PlatformError && error.code === 'unknown') {
          throw new PlatformError('unavailable', error.message, { cause: error });
        }
        throw error;
      });
      const { channelId, threadId, caption } = file;
      return posts.post({ channelId, threadId, markdown: caption ?? '' }, [id]);
    },
    async download(file, { maxBytes, signal }) {
      if (!isMattermostId(file.id)) throw new PlatformError('not_found', 'there is no such file');
      if (file.sizeBytes > maxBytes) {
        throw new PlatformError('too_large', `the file is larger than ${maxBytes} bytes`);
      }
      return api.download('read a file', `/files/${file.id}`, maxBytes, signal);
    },
  };
}

async function* framed(head: Buffer, file: OutgoingFile, tail: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  let size = 0;
  for await (const chunk of file.content) {
    size += chunk.length;
    if (size > file.sizeBytes) break;
    yield chunk;
  }
  // The length is announced; a file that changed meanwhile must not be taken for the one that was checked.
  if (size !== file.sizeBytes) throw new PlatformError('refused', 'the file changed while it was sent');
  yield tail;
}

/** As browsers write a name in a form (HTML, multipart/form-data encoding). */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function mimeOr(mime: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mime) ? mime : 'application/octet-stream';
}
