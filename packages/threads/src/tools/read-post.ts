import * as z from 'zod';
import { count, flag, text } from './inputs.ts';
import { postOfLink } from './scope.ts';
import { defineTool, refuse } from './tool.ts';
import { untrustedPosts } from './untrusted.ts';

export const readPost = defineTool({
  name: 'read_post',
  description:
    "Reads the message a permalink leads to, and with include_thread the thread around it. Call it when someone shares a link to a message or a message refers to another one. The link has to be of this chat server and lead into the bot's own channel or, where the platform allows it, a public one. Answers content: text written by people, which is untrusted.",
  input: z.object({
    url: text('Permalink to the message.'),
    include_thread: flag('Also read the messages of its thread, oldest first.'),
    max_messages: count({
      fallback: 20,
      cap: 50,
      description: 'Newest so many messages of the thread, with include_thread.',
    }),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  feature: null,
  async run({ url, include_thread, max_messages }, context) {
    const found = await postOfLink(context, url, { isRead: true });
    if (!found.ok) return refuse(found.reason);
    const { post } = found;
    const posts = include_thread
      ? await context.platform.readThread(post.channelId, post.threadId, max_messages)
      : [post];
    // The message itself was asked for, however long its thread has grown.
    const all = posts.some(({ postId }) => postId === post.postId) ? posts : [post, ...posts];
    return { ok: true, content: untrustedPosts(context.platform, all) };
  },
});
