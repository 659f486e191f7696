import { z } from 'zod';
import { type Mention, type Person, PlatformError, type Post, type PostFile } from '../platform.ts';
import type { MattermostApi } from './api.ts';
import type { Directory } from './directory.ts';
import { type WireFile, type WirePost, wireFile } from './wire.ts';

/** A name may hold dots, dashes and underscores; at its end they may as well be the sentence's. */
const MENTION = /(?<![\p{L}\p{N}._@-])@([a-z0-9][a-z0-9._-]*)/giu;
const CODE = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]+`/g;
const EVERYONE = new Set(['all', 'channel', 'here', 'everyone']);
/** A text that names more people than this names the others in vain. */
const MOST_MENTIONS = 20;
/** Webhooks post in the name of the person who made them, so they get an id of their own. */
const WEBHOOK_PREFIX = 'webhook:';

export interface PostReader {
  /** A post as the rest of the program sees it. @throws PlatformError */
  read(post: WirePost): Promise<Post>;
}

export function postReader(api: MattermostApi, people: Directory): PostReader {
  async function author(post: WirePost): Promise<Person> {
    const found = await unlessFinal(people.person(post.user_id));
    const person = found ?? { id: post.user_id, name: post.user_id, isBot: false };
    const { props } = post;
    if (isSet(props.from_webhook)) {
      const shown = typeof props.override_username === 'string' ? props.override_username : person.name;
      return { id: `${WEBHOOK_PREFIX}${person.id}`, name: shown, isBot: true };
    }
    const isBot = person.isBot || isSet(props.from_bot) || isSet(props.from_plugin);
    return { ...person, isBot: isBot || isSet(props.override_username) };
  }

  async function mentions(text: string): Promise<Mention[]> {
    const found: Mention[] = [];
    const prose = text.replaceAll(CODE, (code) => ' '.repeat(code.length));
    for (const [, whole = ''] of prose.matchAll(MENTION)) {
      const trimmed = whole.replace(/[._-]+$/, '');
      if (EVERYONE.has(trimmed.toLowerCase())) continue;
      if (found.length === MOST_MENTIONS) break;
      const person = await unlessFinal(people.personNamed(whole));
      if (person !== null) found.push({ text: `@${whole}`, personId: person.id });
      else {
        const other = trimmed === whole ? null : await unlessFinal(people.personNamed(trimmed));
        found.push({ text: `@${trimmed}`, personId: other?.id ?? null });
      }
    }
    return found;
  }

  async function files({ id, file_ids, metadata }: WirePost): Promise<PostFile[]> {
    if (file_ids.length === 0) return [];
    const told = new Map(metadata.files.map((file) => [file.id, file]));
    if (!file_ids.every((file) => told.has(file))) {
      const path = `/posts/${id}/files/info`;
      const asked = await unlessFinal(
        api.call({ name: 'read the files of a post', path, schema: z.array(wireFile) }),
      );
      for (const file of asked ?? []) told.set(file.id, file);
    }
    return file_ids.flatMap((file) => told.get(file) ?? []).map(asFile);
  }

  return {
    read: async (post) => ({
      channelId: post.channel_id,
      postId: post.id,
      threadId: post.root_id || post.id,
      author: await author(post),
      text: post.message,
      mentions: await mentions(post.message),
      files: await files(post),
      createdMs: post.create_at,
      editedMs: post.edit_at > 0 ? post.edit_at : null,
      isSystem: post.type.startsWith('system_'),
    }),
  };
}

function asFile({ id, name, mime_type, size }: WireFile): PostFile {
  return { id, name, mime: mime_type, sizeBytes: size };
}

/** Null for what the server will never tell: a post is handed over without it rather than not at all. */
async function unlessFinal<Value>(asked: Promise<Value>): Promise<Value | null> {
  try {
    return await asked;
  } catch (error) {
    const passes = ['unavailable', 'unknown', 'unauthorized'];
    if (error instanceof PlatformError && !passes.includes(error.code)) return null;
    throw error;
  }
}

function isSet(prop: unknown): boolean {
  return prop !== undefined && prop !== null && prop !== '' && prop !== false && prop !== 'false';
}
