import * as z from 'zod';
import { text } from './inputs.ts';
import { postOfLink } from './scope.ts';
import { defineTool, refuse } from './tool.ts';

export const updateOwnPost = defineTool({
  name: 'update_own_post',
  description:
    'Replaces the whole text of a message the bot itself wrote, given its permalink, as for a "working on it" that becomes the result. Messages of others are refused, and so are questions that are still open.',
  input: z.object({
    url: text('Permalink to a message the bot wrote.'),
    message: text('The new text in Markdown; it replaces the old one.'),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  feature: null,
  async run({ url, message }, context) {
    const { platform, questions } = context;
    if (!platform.capabilities.edit) return refuse('On this platform messages cannot be edited.');
    if (message.trim() === '') return refuse('The new text is empty.');
    if (platform.split(message).length > 1) {
      const { limit } = platform.capabilities.message;
      return refuse(`The new text does not fit one message, which holds ${limit} characters here.`);
    }
    const found = await postOfLink(context, url, { isRead: false });
    if (!found.ok) return refuse(found.reason);
    const { channelId, postId, author } = found.post;
    if (author.id !== (await platform.self(context.signal)).id) {
      return refuse('Someone else wrote that message; only those of the bot can be edited.');
    }
    // What people decide on has to stay what they were shown.
    const open = await questions.openPosts(platform.id);
    if (open.some((ref) => ref.postId === postId && ref.channelId === channelId)) {
      return refuse('That message is a question that waits for an answer; it stays as it is.');
    }
    await platform.edit({ channelId, postId }, message);
    return { ok: true };
  },
});
