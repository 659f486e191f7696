import { Readable } from 'node:stream';
import { SafeFetchError, safeFetch } from '@postern/http';
import type { Clock, Random } from '@postern/kit';
import { request } from 'undici';
import { z } from 'zod';
import { type OutgoingFile, PlatformError, type PostFile, type PostRef } from '../platform.ts';
import { faultOfError, faultOfStatus, retrying } from '../retry.ts';
import type { SlackApi } from './api.ts';
import { type Publishing, rendered } from './publishing.ts';
import { fileAnswer } from './shapes.ts';

export interface Files {
  upload(file: OutgoingFile): Promise<PostRef>;
  download(file: PostFile, options: { maxBytes: number; signal?: AbortSignal }): Promise<Uint8Array>;
}

export interface FilesOptions {
  readonly api: SlackApi;
  readonly token: string;
  readonly apiUrl?: string | undefined;
  readonly publishing: Publishing;
  readonly clock: Clock;
  readonly random: Random;
  /** Between looks for the post of an upload, which Slack makes a moment later. */
  readonly lookAfterMs: number;
}

const TRANSFER_DEADLINE_MS = 10 * 60_000;
/** Looks for the post of an upload. */
const MOST_LOOKS = 10;
/** Slack's own hosts for files, GovSlack's among them. The token goes to no other. */
const FILE_HOSTS = new Set([
  'files.slack.com',
  'files.slack-gov.com',
  'slack-files.com',
  'slack-files-gov.com',
]);

/** Whether a URL is one of Slack's own file hosts, or of the server that stands for Slack. */
export function isFileUrl(text: string, apiUrl?: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (apiUrl !== undefined) return url.origin === URL.parse(apiUrl)?.origin;
  return url.protocol === 'https:' && url.port === '' && FILE_HOSTS.has(url.hostname);
}

export function files(options: FilesOptions): Files {
  const { api, token, apiUrl, publishing, clock, random, lookAfterMs } = options;
  // The content is read once, so there is one attempt; nothing is posted before the upload is completed.
  const transfer = retrying({ clock, random, tries: 1, deadlineMs: TRANSFER_DEADLINE_MS });

  async function sendBytes(uploadUrl: string, file: OutgoingFile): Promise<void> {
    if (!isFileUrl(uploadUrl, apiUrl)) {
      throw new PlatformError('refused', 'Slack named an address for the upload that is none of its own');
    }
    const status = await transfer({
      name: `upload ${file.name}`,
      isIdempotent: true,
      async attempt(signal) {
        try {
          const answer = await request(uploadUrl, {
            method: 'POST',
            headers: { 'content-type': 'application/octet-stream', 'content-length': String(file.sizeBytes) },
            body: Readable.from(file.content),
            signal,
          });
          await answer.body.dump();
          const fault = faultOfStatus(answer.statusCode, null);
          if (fault !== null) throw fault;
          return answer.statusCode;
        } catch (error) {
          if (
            error instanceof Error &&
            'code' in error &&
            error.code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'
          ) {
            throw new PlatformError('refused', 'the file changed while it was read');
          }
          throw faultOfError(error);
        }
      },
    }).catch((error: unknown) => {
      if (error instanceof PlatformError && error.code === 'unknown') {
        throw new PlatformError('unavailable', error.message, { cause: error });
      }
      throw error;
    });
    if (status !== 200)
      throw new PlatformError('refused', `Slack refused the content of the file (${status})`);
  }

  async function complete(fileId: string, file: OutgoingFile): Promise<void> {
    try {
      await api.call({
        method: 'files.completeUploadExternal',
        args: {
          files: [{ id: fileId, title: file.name }],
          channel_id: file.channelId,
          ...(file.threadId === null ? {} : { thread_ts: file.threadId }),
          ...(file.caption === null ? {} : { initial_comment: rendered(file.caption) }),
        },
        schema: z.object({ ok: z.literal(true) }),
        isIdempotent: false,
      });
    } catch (error) {
      // The answer may have been lost; whether there is a post shows below.
      if (!(error instanceof PlatformError) || error.code !== 'unknown') throw error;
    }
  }

  /** Slack shares an upload a moment after it answered, and tells where in the file's own record. */
  async function postOf(fileId: string, { channelId, threadId, name }: OutgoingFile): Promise<PostRef> {
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      const { file } = await api.call({ method: 'files.info', args: { file: fileId }, schema: fileAnswer });
      const shares = Object.values(file.shares ?? {}).flatMap((byChannel) => byChannel[channelId] ?? []);
      const ts = shares[0]?.ts;
      if (ts !== undefined) return { channelId, postId: ts };
      await clock.sleep(lookAfterMs);
    }
    const holds = (message: { readonly files?: readonly { readonly id: string }[] | null | undefined }) =>
      message.files?.some(({ id }) => id === fileId) === true;
    const found = await publishing.findLately({ channelId, threadId }, holds);
    if (found !== null) return found;
    throw new PlatformError('unknown', `Slack took ${name}, but does not show it in the channel`);
  }

  return {
    async upload(file) {
      if (file.caption !== null && file.caption.trim() !== '') rendered(file.caption);
      const { upload_url, file_id } = await api.call({
        method: 'files.getUploadURLExternal',
        args: { filename: file.name, length: file.sizeBytes },
        schema: z.object({ upload_url: z.string(), file_id: z.string() }),
      });
      await sendBytes(upload_url, file);
      const caption = file.caption?.trim() === '' ? null : file.caption;
      await complete(file_id, { ...file, caption });
      return postOf(file_id, file);
    },

    async download(file, { maxBytes, signal }) {
      if (file.sizeBytes > maxBytes) throw tooLarge(file.name);
      const args = { file: file.id };
      const answer = await api.call({ method: 'files.info', args, schema: fileAnswer, signal });
      const url = answer.file.url_private_download ?? answer.file.url_private;
      if (url === undefined || answer.file.is_external === true || !isFileUrl(url, apiUrl)) {
        throw new PlatformError('unsupported', `${file.name} does not lie on Slack’s own servers`);
      }
      try {
        const response = await safeFetch(url, {
          headers: { authorization: `Bearer ${token}` },
          maxBytes,
          deadlineMs: TRANSFER_DEADLINE_MS,
          // A redirect leads to the page where people sign in.
          maxRedirects: 0,
          allowLoopback: apiUrl !== undefined,
          ...(signal === undefined ? {} : { signal }),
        });
        const isPage = response.headers['content-type']?.startsWith('text/html') === true;
        if (response.status !== 200 || (isPage && answer.file.mimetype !== 'text/html')) {
          await response.discard();
          throw refusedDownload(file.name, response.status);
        }
        return await response.bytes();
      } catch (error) {
        if (error instanceof SafeFetchError) throw failedDownload(file.name, error);
        throw error;
      }
    },
  };
}

function refusedDownload(name: string, status: number): PlatformError {
  if (status === 404 || status === 410) return new PlatformError('not_found', `${name} is gone`);
  if (status === 429 || status >= 500)
    return new PlatformError('unavailable', `Slack answered ${status} for ${name}`);
  return new PlatformError('unauthorized', `Slack does not hand out ${name}; the bot needs files:read`);
}

function failedDownload(name: string, error: SafeFetchError): PlatformError {
  if (error.fault === 'too_large') return tooLarge(name);
  return new PlatformError('unavailable', `${name} could not be fetched: ${error.message}`, { cause: error });
}

function tooLarge(name: string): PlatformError {
  return new PlatformError('too_large', `${name} is larger than allowed`);
}
