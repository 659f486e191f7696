import * as z from 'zod';

/** Bodies of the operator's routes. */

export const allowlistEntrySchema = z.strictObject({
  source: z.string(),
  sender_id: z.string(),
  display_name: z.string().nullable(),
  person_id: z.string().nullable(),
  created_at: z.string(),
});

export const tokenSchema = z.strictObject({
  token_id: z.string(),
  name: z.string(),
  agent_id: z.string(),
  scopes: z.array(z.enum(['read', 'send'])),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export const channelSchema = z.strictObject({
  channel_id: z.string(),
  source: z.string(),
  channel_type: z.enum(['dm', 'group']),
  name: z.string().nullable(),
  allow_mass_mentions: z.boolean(),
  message_count: z.int(),
  last_message_at: z.string().nullable(),
});

export const deliverySchema = z.strictObject({
  id: z.string(),
  event: z.string(),
  url: z.string(),
  message_id: z.string(),
  channel_id: z.string(),
  sender: z.string(),
  state: z.enum(['pending', 'done', 'dead']),
  attempts: z.int(),
  response_status: z.int().nullable(),
  last_error: z.string().nullable(),
  created_at: z.string(),
  next_attempt_at: z.string().nullable(),
});
