import * as z from 'zod';
import { defaultChatLimits as limits } from './limits.ts';

/** The shapes of the chat's routes (process contract, "Local chat"). */

/** Characters an id of a person may have, so that `dm-<user id>` is always a channel's name. */
const ID_CHARACTERS = '[A-Za-z0-9_+][A-Za-z0-9._@+:-]';

export const userId = z
  .string()
  .regex(new RegExp(`^${ID_CHARACTERS}{0,63}$`), 'must be 1 to 64 of letters, digits and . _ @ + : -')
  .describe('Who acts: an id that never changes, 1 to 64 of letters, digits and . _ @ + : -');

export const person = z
  .strictObject({
    id: userId,
    name: z.string().min(1).max(limits.nameLength).describe('The name that is shown'),
  })
  .describe('A person, or a program that writes like one');

export const channelName = z
  .string()
  .regex(new RegExp(`^${ID_CHARACTERS}{0,79}$`), 'must be 1 to 80 of letters, digits and . _ @ + : -')
  .describe('Name of the channel; its id is local:<name>');

export const channelType = z.enum(['dm', 'group']).describe('dm between two, group for more');

/** An id that points at something; whether that exists is another question, with another answer. */
export const reference = z.string().regex(/^[!-~]{1,200}$/, 'must be 1 to 200 visible ASCII characters');

export const emojiName = z
  .string()
  .regex(
    /^[A-Za-z0-9_+'-]{1,64}(?:::skin-tone-[2-6])?$/,
    'must be the name of an emoji without colons, such as +1 or wave::skin-tone-3',
  )
  .describe('Name of the emoji without colons (+1, white_check_mark), perhaps with ::skin-tone-2 to 6');

export const messageText = z
  .string()
  .max(limits.textLength)
  .describe(`Text, at most ${limits.textLength} UTF-16 code units; may be empty when there are attachments`);

export const fileName = z.string().min(1).max(limits.nameLength);

export const mediaType = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+(?:\s*;[ -~]*)?$/,
    'must be a media type, such as text/plain',
  )
  .describe('Media type as the sender knows it; where the bytes tell it, they are believed instead');

const personShape = z.object({ id: z.string(), name: z.string() });

export const channelShape = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(['dm', 'group']),
  members: z.array(personShape),
  created_at: z.string().meta({ format: 'date-time' }),
});

export const attachmentShape = z.object({
  id: z.string(),
  name: z.string(),
  mime: z.string(),
  size_bytes: z.int().min(0),
  url: z.string().describe('Where the bytes are, behind the same credentials'),
});

export const messageShape = z.object({
  id: z.string(),
  channel_id: z.string(),
  thread_id: z.string().nullable().describe("The root's id; null on a root"),
  user: personShape,
  text: z.string(),
  reply_to: z.string().nullable(),
  attachments: z.array(attachmentShape),
  reactions: z.array(z.object({ emoji: z.string(), user_ids: z.array(z.string()) })),
  created_at: z.string().meta({ format: 'date-time' }),
  edited_at: z.string().nullable(),
  deleted_at: z.string().nullable().describe('Set on a deleted message; its text and attachments are empty'),
  permalink: z.string().describe('Where people can see the message in its conversation'),
});

export type ChatPerson = z.output<typeof person>;
export type ChatChannelType = z.output<typeof channelType>;
export type ChatChannel = z.output<typeof channelShape>;
export type ChatAttachment = z.output<typeof attachmentShape>;
export type ChatMessage = z.output<typeof messageShape>;

/** A message as the event log keeps it: without addresses. */
export type StoredMessage = Omit<ChatMessage, 'permalink' | 'attachments'> & {
  readonly attachments: readonly Omit<ChatAttachment, 'url'>[];
};

/** Data of the events that are about a reaction, or about somebody typing (then without message and emoji). */
export interface ChatReaction {
  readonly message_id: string;
  readonly channel_id: string;
  readonly user_id: string;
  readonly emoji: string;
}

interface LoggedEvent<Type extends string, Data> {
  /** Strictly increases; also the id in the event stream. */
  readonly cursor: number;
  readonly type: Type;
  readonly channelId: string;
  readonly data: Data;
}

/** An entry of the event log. */
export type ChatEvent =
  | LoggedEvent<'message.created', ChatMessage>
  | LoggedEvent<'message.updated', ChatMessage>
  | LoggedEvent<'message.deleted', ChatMessage>
  | LoggedEvent<'reaction.added', ChatReaction>
  | LoggedEvent<'reaction.removed', ChatReaction>;

/** Somebody types. It is told to whoever listens and kept nowhere. */
export interface ChatTyping {
  readonly message_id: null;
  readonly channel_id: string;
  readonly user_id: string;
  readonly emoji: null;
}
