import { formatMilliseconds } from '@postern/kit';
import * as z from 'zod';
import type { MemoryOfChannel } from './console.ts';
import type { MemoryEntry } from './entry.ts';

/** How memory looks over REST. */

export const memoryChannelSchema = z.object({
  platform_id: z.string(),
  channel_id: z.string(),
  count: z.int(),
  /** Whether agents there are told of it. */
  is_on: z.boolean(),
});

export function memoryChannelShape(channel: MemoryOfChannel): z.input<typeof memoryChannelSchema> {
  const { platformId, channelId, count, isOn } = channel;
  return { platform_id: platformId, channel_id: channelId, count, is_on: isOn };
}

export const memorySchema = z.object({
  id: z.string(),
  platform_id: z.string(),
  channel_id: z.string(),
  /** Number in its channel, as `!memory forget` takes it. */
  index: z.int(),
  source: z.enum(['user', 'distilled', 'agent']),
  /** Who wrote it; for an agent's the owner of the session it comes from. */
  author: z.object({ id: z.string(), name: z.string() }),
  session_id: z.string().nullable(),
  text: z.string(),
  created_at: z.string(),
  edited_at: z.string().nullable(),
});

export function memoryShape(entry: MemoryEntry): z.input<typeof memorySchema> {
  return {
    id: entry.id,
    platform_id: entry.place.platformId,
    channel_id: entry.place.channelId,
    index: entry.index,
    source: entry.source,
    author: entry.author,
    session_id: entry.sessionId,
    text: entry.text,
    created_at: formatMilliseconds(entry.createdMs),
    edited_at: entry.editedMs === null ? null : formatMilliseconds(entry.editedMs),
  };
}

/** As it is sent; how long it may be is for the memory to say, after normalisation. */
export const memoryText = z
  .string()
  .max(10_000)
  .describe('One fact, on one line of at most 500 characters; spaces and line breaks are folded');
