import { z } from 'zod';

/** What of Slack's answers and events is read. Slack adds fields at any time and leaves out most. */

const wireFile = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  mode: z.string().nullish(),
});

/** A part that has an unexpected form counts as not there: one odd message must not hold up all others. */
export const wireMessage = z.object({
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().nullish().catch(null),
  bot_profile: z.object({ name: z.string().optional() }).nullish().catch(null),
  username: z.string().nullish().catch(null),
  text: z.string().nullish().catch(null),
  ts: z.string(),
  thread_ts: z.string().optional(),
  /** Of a root: its newest reply. */
  latest_reply: z.string().optional(),
  edited: z.object({ ts: z.string() }).nullish().catch(null),
  files: z.array(wireFile).nullish().catch(null),
  attachments: z
    .array(
      z.object({
        fallback: z.string().nullish().catch(null),
        text: z.string().nullish().catch(null),
        title: z.string().nullish(),
      }),
    )
    .nullish()
    .catch(null),
  metadata: z
    .object({
      event_type: z.string().optional(),
      event_payload: z.record(z.string(), z.unknown()).optional(),
    })
    .nullish()
    .catch(null),
});
export type WireMessage = z.infer<typeof wireMessage>;

const responseMetadata = z.object({ next_cursor: z.string().optional() }).optional();

export const messagePage = z.object({ messages: z.array(wireMessage), response_metadata: responseMetadata });

export const wireUser = z.object({
  id: z.string(),
  name: z.string().optional(),
  deleted: z.boolean().optional(),
  is_bot: z.boolean().optional(),
  profile: z.object({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
});
export type WireUser = z.infer<typeof wireUser>;

export const userAnswer = z.object({ user: wireUser });
export const userPage = z.object({ members: z.array(wireUser), response_metadata: responseMetadata });
export const memberPage = z.object({ members: z.array(z.string()), response_metadata: responseMetadata });

const wireChannel = z.object({
  id: z.string(),
  name: z.string().optional(),
  is_im: z.boolean().optional(),
  is_mpim: z.boolean().optional(),
  is_private: z.boolean().optional(),
  is_member: z.boolean().optional(),
});

export const channelAnswer = z.object({ channel: wireChannel });
export const channelPage = z.object({ channels: z.array(wireChannel), response_metadata: responseMetadata });

export const authAnswer = z.object({
  url: z.string(),
  team_id: z.string(),
  user_id: z.string(),
  user: z.string(),
  bot_id: z.string().optional(),
  response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
});

export const reactionsAnswer = z.object({
  message: z.object({
    reactions: z.array(z.object({ name: z.string(), users: z.array(z.string()) })).optional(),
  }),
});

export const fileAnswer = z.object({
  file: wireFile.extend({
    is_external: z.boolean().optional(),
    url_private: z.string().optional(),
    url_private_download: z.string().optional(),
    shares: z.record(z.string(), z.record(z.string(), z.array(z.object({ ts: z.string() })))).optional(),
  }),
});

/** For calls whose answer is only that it was done. */
export const doneAnswer = z.object({ ok: z.literal(true) });

/** An event of the Events API as it comes over Socket Mode. */
export const eventPayload = z.object({
  event_id: z.string().optional(),
  event: z.looseObject({ type: z.string() }),
});

export const messageEvent = z.object({
  type: z.literal('message'),
  channel: z.string(),
  hidden: z.boolean().optional(),
  subtype: z.string().optional(),
  message: z.unknown().optional(),
  previous_message: z.unknown().optional(),
  deleted_ts: z.string().optional(),
});

export const reactionEvent = z.object({
  type: z.enum(['reaction_added', 'reaction_removed']),
  user: z.string(),
  reaction: z.string(),
  item: z.object({ type: z.literal('message'), channel: z.string(), ts: z.string() }),
});
