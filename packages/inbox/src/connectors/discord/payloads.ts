import * as z from 'zod';

/** What is read of Discord's payloads; all else in them is left alone. */

export const snowflakeSchema = z.string().regex(/^\d{1,20}$/);

/** A file without a link that can be followed is one that cannot be fetched; its message is there all the same. */
const attachmentSchema = z.object({
  id: snowflakeSchema.optional().catch(undefined),
  filename: z.string().catch('attachment'),
  size: z.number().min(0).catch(0),
  url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .catch(null),
});

const contentFields = {
  content: z.string().catch(''),
  attachments: z.array(attachmentSchema).catch([]),
};

/** What a message needs to be one; what else cannot be read is taken for absent. */

export const messageSchema = z.object({
  ...contentFields,
  id: snowflakeSchema,
  channel_id: snowflakeSchema,
  guild_id: snowflakeSchema.nullish().catch(null),
  type: z.int().catch(0),
  author: z.object({
    id: snowflakeSchema,
    username: z.string().catch(''),
    global_name: z.string().nullish().catch(null),
    bot: z.boolean().default(false),
  }),
  member: z.object({ nick: z.string().nullish() }).nullish().catch(null),
  webhook_id: z.string().nullish(),
  timestamp: z.string().catch(''),
  edited_timestamp: z.string().nullish().catch(null),
  message_reference: z
    .object({ type: z.int().catch(0), message_id: snowflakeSchema.nullish() })
    .nullish()
    .catch(null),
  message_snapshots: z
    .array(
      z
        .object({ message: z.object(contentFields) })
        .nullable()
        .catch(null),
    )
    .nullish()
    .catch(null),
});

export type DiscordMessage = z.output<typeof messageSchema>;

/** An update may lack what did not change. */
export const updateSchema = z.object({
  ...messageSchema.pick({
    id: true,
    channel_id: true,
    webhook_id: true,
    message_reference: true,
    message_snapshots: true,
  }).shape,
  content: z.string().optional(),
  attachments: z.array(attachmentSchema).optional().catch(undefined),
  author: messageSchema.shape.author.optional(),
});

export const deleteSchema = z.object({ id: snowflakeSchema, channel_id: snowflakeSchema });
export const bulkDeleteSchema = z.object({ ids: z.array(snowflakeSchema), channel_id: snowflakeSchema });

export const channelSchema = z.object({
  id: snowflakeSchema,
  type: z.int(),
  name: z.string().nullish(),
  parent_id: snowflakeSchema.nullish(),
  last_message_id: snowflakeSchema.nullish(),
  newly_created: z.boolean().default(false),
  thread_metadata: z.object({ archive_timestamp: z.string().nullish() }).nullish(),
});

export type DiscordChannel = z.output<typeof channelSchema>;

export const guildSchema = z.object({
  id: snowflakeSchema,
  unavailable: z.boolean().default(false),
  channels: z.array(z.unknown()).default([]),
  threads: z.array(z.unknown()).default([]),
});

export const userSchema = z.object({
  id: snowflakeSchema,
  username: z.string().default(''),
  global_name: z.string().nullish(),
});

export const readySchema = z.object({
  user: userSchema,
  guilds: z.array(z.object({ id: snowflakeSchema })).default([]),
});

export const threadsSchema = z.object({
  threads: z.array(z.unknown()).default([]),
  has_more: z.boolean().default(false),
});

export const sentSchema = z.object({
  id: snowflakeSchema,
  channel_id: snowflakeSchema,
  timestamp: z.string(),
});

/** Kinds of channels with messages in them, and those that threads can be in. */
const MESSAGE_CHANNELS = new Set([0, 1, 2, 3, 5, 10, 11, 12, 13]);
const THREAD_PARENTS = new Set([0, 5, 15, 16]);

export const hasMessages = ({ type }: DiscordChannel): boolean => MESSAGE_CHANNELS.has(type);
export const hasThreads = ({ type }: DiscordChannel): boolean => THREAD_PARENTS.has(type);
export const hasPrivateThreads = ({ type }: DiscordChannel): boolean => type === 0;
export const isDirect = ({ type }: DiscordChannel): boolean => type === 1 || type === 3;

/** The newest message of a channel, or the channel itself where it has none. */
export function newestIn({ id, last_message_id: newest }: DiscordChannel): bigint {
  return BigInt(newest ?? id);
}

/** Those of a list that can be read; a kind of thing that is not known yet must not hold up the others. */
export function readable<Shape extends z.ZodType>(
  schema: Shape,
  list: readonly unknown[],
): z.output<Shape>[] {
  return list.flatMap((entry) => {
    const parsed = schema.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
}
