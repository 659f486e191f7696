import { z } from 'zod';

/**
 * What the server says (REST v4), as far as it is used. Objects are read leniently: servers differ in age, and a
 * field that nobody asks for must not stop a post.
 */

const text = z.string().catch('');
const milliseconds = z.number().catch(0);

export const wireUser = z.object({
  id: z.string(),
  username: z.string(),
  is_bot: z.boolean().optional(),
  delete_at: z.number().optional(),
});

export const wireChannel = z.object({
  id: z.string(),
  /** `O` public, `P` private, `D` direct, `G` a group of a few. */
  type: z.string(),
  name: text,
  display_name: text,
  team_id: text,
  last_post_at: milliseconds,
  /** Above 0 it is archived. */
  delete_at: milliseconds,
});
export type WireChannel = z.infer<typeof wireChannel>;

export const wireTeam = z.object({ id: z.string(), name: z.string() });

export const wireMember = z.object({ user_id: z.string() });

export const wireFile = z.object({
  id: z.string(),
  name: text,
  mime_type: text,
  size: z.number().catch(0),
});
export type WireFile = z.infer<typeof wireFile>;

export const wireReaction = z.object({
  user_id: z.string(),
  post_id: z.string(),
  emoji_name: z.string(),
  create_at: milliseconds,
  channel_id: text,
});
export type WireReaction = z.infer<typeof wireReaction>;

export const wirePost = z.object({
  id: z.string(),
  create_at: z.number(),
  edit_at: milliseconds,
  delete_at: milliseconds,
  user_id: z.string(),
  channel_id: z.string(),
  root_id: text,
  message: text,
  type: text,
  props: z.record(z.string(), z.unknown()).catch({}),
  file_ids: z.array(z.string()).catch([]),
  metadata: z.object({ files: z.array(wireFile).catch([]) }).catch({ files: [] }),
});
export type WirePost = z.infer<typeof wirePost>;

/** Posts of a channel, thread or search: `posts` may hold more than `order` lists. */
export const wirePostList = z.object({
  order: z.array(z.string()).catch([]),
  posts: z
    .record(z.string(), z.unknown())
    .catch({})
    // One post that cannot be read must not hide the others.
    .transform((posts) =>
      Object.fromEntries(
        Object.entries(posts).flatMap(([id, post]) => {
          const read = wirePost.safeParse(post);
          return read.success ? [[id, read.data]] : [];
        }),
      ),
    ),
  has_next: z.boolean().optional(),
});
export type WirePostList = z.infer<typeof wirePostList>;

export const wireUpload = z.object({ file_infos: z.array(wireFile).min(1) });

/** The server's settings as its clients get them: all values are texts. */
export const wireClientConfig = z.record(z.string(), z.string());

export const wireFailure = z.object({ id: text, message: text });

/** One frame of the WebSocket: an event, or the answer to a request. */
export const wireFrame = z.object({
  event: text,
  data: z.record(z.string(), z.unknown()).catch({}),
  broadcast: z.object({ channel_id: text }).catch({ channel_id: '' }),
  seq: z.number().optional(),
  seq_reply: z.number().optional(),
  status: text,
});
export type WireFrame = z.infer<typeof wireFrame>;

/** Of the order that a list gives, those that it holds. */
export function listed(list: WirePostList): WirePost[] {
  return list.order.flatMap((id) => list.posts[id] ?? []);
}

/** By age; of the same millisecond a root before replies, and then by id. */
export function byAge(one: WirePost, other: WirePost): number {
  return (
    one.create_at - other.create_at ||
    Number(one.root_id !== '') - Number(other.root_id !== '') ||
    (one.id < other.id ? -1 : Number(one.id > other.id))
  );
}

/** A value that an event holds as a text of JSON; some servers' plugins send it as it is. */
export function embedded<Schema extends z.ZodType>(value: unknown, schema: Schema): z.infer<Schema> | null {
  let parsed = value;
  if (typeof value === 'string') {
    try {
      parsed = JSON.parse(value);
    } catch {
      return null;
    }
  }
  return schema.safeParse(parsed).data ?? null;
}
