import { sanitizeName } from '@postern/kit';
import type { Person, Post, PostFile } from '../platform.ts';
import type { Channels } from './channels.ts';
import { readMrkdwn } from './inbound.ts';
import type { Directory } from './people.ts';
import type { WireMessage } from './shapes.ts';
import { compareTs, isTs, tsMs } from './ts.ts';

export interface PostReader {
  read(channelId: string, message: WireMessage): Promise<Post>;
}

/** Subtypes that people and bots write; the others are notices of the system. */
const WRITTEN = new Set(['file_share', 'thread_broadcast', 'bot_message', 'me_message']);
/** Of a file that cannot be had: gone, or beyond the plan's limit. */
const GONE_MODES = new Set(['tombstone', 'hidden_by_limit']);

export function isShown(message: WireMessage): boolean {
  return isTs(message.ts) && message.subtype !== 'tombstone';
}

export function byAge(left: { readonly ts: string }, right: { readonly ts: string }): number {
  return compareTs(left.ts, right.ts);
}

export function postReader(people: Directory, channels: Channels): PostReader {
  /** A name that cannot be had now is no reason to hold a message back: the id stands for it. */
  async function known(personId: string): Promise<Person | null> {
    return people.person(personId).catch(() => null);
  }

  async function authorOf(message: WireMessage): Promise<Person> {
    const self = people.knownSelf();
    const byBot = typeof message.bot_id === 'string' && message.bot_id !== '';
    if (self !== null && (message.user === self.person.id || (byBot && message.bot_id === self.botId))) {
      return self.person;
    }
    if (message.user !== undefined) {
      const person = await known(message.user);
      const name = person?.name ?? message.user;
      // An app that posts in somebody's name is still an app.
      return { id: message.user, name, isBot: byBot || person?.isBot === true };
    }
    const id = message.bot_id ?? 'unknown';
    return { id, name: sanitizeName(message.username ?? message.bot_profile?.name ?? id, id), isBot: true };
  }

  return {
    async read(channelId, message) {
      const { text, mentions } = await readMrkdwn(textOf(message), {
        person: async (id) => (await known(id))?.name ?? null,
        channel: async (id) => channels.nameOf(id).catch(() => null),
      });
      return {
        channelId,
        postId: message.ts,
        threadId: message.thread_ts ?? message.ts,
        author: await authorOf(message),
        text,
        mentions,
        files: (message.files ?? []).filter(({ mode }) => !GONE_MODES.has(mode ?? '')).map(fileOf),
        createdMs: tsMs(message.ts),
        editedMs: message.edited ? tsMs(message.edited.ts) : null,
        isSystem: message.subtype !== undefined && !WRITTEN.has(message.subtype),
      };
    },
  };
}

/** Integrations often leave the text empty and say it in attachments. */
function textOf(message: WireMessage): string {
  if (message.text) return message.text;
  return (message.attachments ?? [])
    .map(({ fallback, text, title }) => text || fallback || title || '')
    .filter((part) => part !== '')
    .join('\n');
}

function fileOf(file: NonNullable<WireMessage['files']>[number]): PostFile {
  return {
    id: file.id,
    name: file.name || file.title || file.id,
    mime: file.mimetype ?? 'application/octet-stream',
    sizeBytes: file.size ?? 0,
  };
}
