import type { Mention, Person, PlatformEvent, Post } from '../platform.ts';
import type { LocalChat, LocalEvent, LocalMessage, LocalPerson } from './chat.ts';

/** The inbox writes in the chat as this user (process contract, "Local chat"), and not as a person. */
const INBOX_ID = 'postern';

/** Words after an `@` that is not within one; the dots and dashes at the end may be the sentence's. */
const MENTION = /(?<![\p{L}\p{N}_.+@-])@[\p{L}\p{N}_+][\p{L}\p{M}\p{N}._@+:'-]*/gu;
const SENTENCE_END = /[.:'@+-]$/;
/** Mentions of one message whose people are looked for. */
const MOST_MENTIONS = 50;

export interface Translator {
  person(person: LocalPerson): Person;
  post(message: LocalMessage): Promise<Post>;
  /** Null for what sessions are not told: the bot's own reactions, and messages that are gone by now. */
  event(event: LocalEvent): Promise<PlatformEvent | null>;
}

/** From the chat's shapes to the platform's. */
export function translator(chat: Pick<LocalChat, 'people'>, bot: Person): Translator {
  const person = ({ id, name }: LocalPerson): Person => ({
    id,
    name,
    isBot: id === bot.id || id === INBOX_ID,
  });

  /** An id goes before a name, so that nobody takes another's mentions by taking their id for a name. */
  async function find(word: string): Promise<string | null> {
    if (word.toLowerCase() === bot.name.toLowerCase()) return bot.id;
    const [byId] = await chat.people({ id: word });
    if (byId !== undefined) return byId.id;
    const named = await chat.people({ name: word });
    return named.length === 1 ? (named[0]?.id ?? null) : null;
  }

  async function mention(written: string): Promise<Mention> {
    for (let text = written; ; text = text.slice(0, -1)) {
      const personId = await find(text.slice(1));
      if (personId !== null || !SENTENCE_END.test(text)) return { text, personId };
    }
  }

  async function post(message: LocalMessage): Promise<Post> {
    const mentions: Mention[] = [];
    for (const [written] of [...message.text.matchAll(MENTION)].slice(0, MOST_MENTIONS)) {
      mentions.push(await mention(written));
    }
    return {
      channelId: message.channel_id,
      postId: message.id,
      threadId: message.thread_id ?? message.id,
      author: person(message.user),
      text: message.text,
      mentions,
      files: message.attachments.map(({ id, name, mime, size_bytes }) => ({
        id,
        name,
        mime,
        sizeBytes: size_bytes,
      })),
      createdMs: Date.parse(message.created_at),
      editedMs: message.edited_at === null ? null : Date.parse(message.edited_at),
      isSystem: false,
    };
  }

  return {
    person,
    post,
    async event(event) {
      switch (event.type) {
        case 'reaction.added':
        case 'reaction.removed': {
          const { message_id, channel_id, user_id, emoji } = event.data;
          if (user_id === bot.id) return null;
          const kind = event.type === 'reaction.added' ? 'reacted' : 'unreacted';
          return { kind, ref: { channelId: channel_id, postId: message_id }, personId: user_id, emoji };
        }
        case 'message.deleted':
          return { kind: 'deleted', ref: { channelId: event.data.channel_id, postId: event.data.id } };
        default:
          // Deleted before it was read: its text is gone, and the deletion is told by itself.
          if (event.data.deleted_at !== null) return null;
          return {
            kind: event.type === 'message.created' ? 'posted' : 'edited',
            post: await post(event.data),
          };
      }
    },
  };
}
