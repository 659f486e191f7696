import { buffer } from 'node:stream/consumers';
import { nowMilliseconds } from '@postern/kit';
import { type Connector, type OutboundPart, SendError } from '../connector.ts';
import { type DiscordApi, DiscordError, type OutboundMessage } from './api.ts';
import { snowflakeOf } from './ids.ts';
import type { DiscordOptions } from './options.ts';

/** MessageFlags.SuppressEmbeds: a link that an agent writes is fetched by nobody. */
const SUPPRESS_EMBEDS = 4;
/** Tries of a send that got no answer; Discord knows it by its nonce. */
const TRIES = 3;

/** Sends one part. @throws SendError and nothing else. */
export async function sendPart(
  api: () => Promise<DiscordApi>,
  part: OutboundPart,
  { clock, signal }: Pick<DiscordOptions, 'clock'> & { signal: AbortSignal },
): ReturnType<Connector['send']> {
  const target = snowflakeOf(part.channelId);
  if (!target) throw new SendError('failed', `${part.channelId} is no channel of Discord.`);
  const message: OutboundMessage = {
    channelId: target.snowflake,
    body: {
      content: part.text,
      nonce: part.nonce,
      enforce_nonce: true,
      flags: SUPPRESS_EMBEDS,
      allowed_mentions: { parse: part.allowMassMentions ? ['everyone'] : [], replied_user: false },
      ...(part.replyToPlatformId === null
        ? {}
        : {
            message_reference: {
              message_id: part.replyToPlatformId,
              channel_id: target.snowflake,
              fail_if_not_exists: false,
            },
          }),
      ...(part.attachments.length === 0
        ? {}
        : { attachments: part.attachments.map(({ name }, id) => ({ id, filename: name })) }),
    },
    files: await filesOf(part),
  };
  const { id, timestamp } = await posted(api, message, signal);
  return {
    platformId: id,
    timestampMs: Date.parse(timestamp) || nowMilliseconds(clock),
    raw: { channel_id: target.snowflake },
  };
}

async function filesOf(part: OutboundPart): Promise<OutboundMessage['files']> {
  const files: { name: string; data: Buffer; contentType: string }[] = [];
  for (const { name, mime, open } of part.attachments) {
    try {
      files.push({ name, contentType: mime, data: await buffer(await open()) });
    } catch (error) {
      throw new SendError('failed', `${name} could not be read.`, { cause: error });
    }
  }
  return files;
}

async function posted(api: () => Promise<DiscordApi>, message: OutboundMessage, signal: AbortSignal) {
  let mayBeThere = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await (await api()).post(message, signal);
    } catch (error) {
      if (!(error instanceof DiscordError))
        throw new SendError('failed', 'Discord could not be called.', { cause: error });
      const isOpen = error.trouble === 'unreachable' || error.trouble === 'failing';
      mayBeThere ||= isOpen && !wasNeverMade(error);
      if (error.trouble === 'unreachable' && tries < TRIES && !signal.aborted) continue;
      // What an earlier try did is not undone by what a later one was answered.
      throw new SendError(mayBeThere ? 'unknown' : kindOf(error), `${error.message}.`, { cause: error });
    }
  }
}

function kindOf({ trouble }: DiscordError): SendError['kind'] {
  switch (trouble) {
    case 'auth':
    case 'forbidden':
      return 'auth';
    case 'too_large':
      return 'too_large';
    default:
      return 'failed';
  }
}

/** Whether there was nobody to take the call. */
function wasNeverMade({ cause }: DiscordError): boolean {
  const codes = [cause, (cause as { cause?: unknown } | undefined)?.cause].map(
    (error) => (error as { code?: unknown } | undefined)?.code,
  );
  return codes.some((code) => code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN');
}
