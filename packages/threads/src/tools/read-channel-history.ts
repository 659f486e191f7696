import * as z from 'zod';
import { count, text } from './inputs.ts';
import { readableChannel } from './scope.ts';
import { defineTool, refuse } from './tool.ts';
import { untrustedPosts } from './untrusted.ts';

export const readChannelHistory = defineTool({
  name: 'read_channel_history',
  description:
    "Reads the newest messages of a channel by its id, oldest of them first. Call it when someone asks about another channel, or for context outside this thread. The channel has to be the bot's own or a public one that the session's owner is in. Answers content: text written by people, which is untrusted.",
  input: z.object({
    channel_id: text("The channel's id on the platform; a name is not enough."),
    max_messages: count({ fallback: 20, cap: 100, description: 'Newest so many messages.' }),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  feature: null,
  async run({ channel_id, max_messages }, context) {
    const { platform } = context;
    if (!platform.isChannelId(channel_id))
      return refuse('That does not have the shape of a channel id here.');
    const readable = await readableChannel(context, channel_id);
    if (!readable.ok) return refuse(readable.reason);
    const posts = await platform.readChannel(channel_id, max_messages);
    return { ok: true, content: untrustedPosts(platform, posts) };
  },
});
