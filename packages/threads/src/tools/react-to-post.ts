import * as z from 'zod';
import { emojiOfCharacter } from '../platforms/emoji-characters.ts';
import type { PostRef } from '../platforms/platform.ts';
import { optionalText, text } from './inputs.ts';
import { postOfLink } from './scope.ts';
import { defineTool, refuse, type ToolContext } from './tool.ts';

const EMOJI_NAME = /^[a-z0-9_+-]{1,64}$/i;
/** How far back the newest message of a person is looked for: further only when an agent has written all of it. */
const LOOKED_THROUGH = [50, 400];

export const reactToPost = defineTool({
  name: 'react_to_post',
  description:
    "Adds an emoji reaction of the bot's to a message, to acknowledge it or mark it as handled. Without url it goes on the newest message of this session's thread that is not the bot's own. A message given by permalink has to be in the bot's own channel or a public one.",
  input: z.object({
    url: optionalText('Permalink to the message; leave it out for the newest one of this session.'),
    emoji: text('Name of the emoji without colons, such as white_check_mark, +1 or eyes.'),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  feature: null,
  async run({ url, emoji }, context) {
    const { platform } = context;
    const name = emojiName(emoji);
    if (name === null) {
      return refuse(
        'That is no emoji known here. Give its name, such as eyes: 1 to 64 letters, digits, underscores, plus or minus signs.',
      );
    }
    if (!platform.capabilities.reactions) return refuse('This platform has no reactions.');
    let ref: PostRef | null;
    if (url === null) {
      ref = await newestOfPeople(context);
      if (ref === null) return refuse('There is no message of a person to react to yet; give a url.');
    } else {
      const found = await postOfLink(context, url, { isRead: false });
      if (!found.ok) return refuse(found.reason);
      ref = found.post;
    }
    await platform.react({ channelId: ref.channelId, postId: ref.postId }, name);
    return { ok: true };
  },
});

/** The name of an emoji that is given by it, with colons or without, or as the character itself. */
function emojiName(emoji: string): string | null {
  const name = emoji.trim().replace(/^:(.+):$/, '$1');
  return EMOJI_NAME.test(name) ? name.toLowerCase() : emojiOfCharacter(name);
}

async function newestOfPeople({ platform, session, signal }: ToolContext): Promise<PostRef | null> {
  const self = await platform.self(signal);
  for (const limit of LOOKED_THROUGH) {
    const posts = await (session.threadId === null
      ? platform.readChannel(session.channelId, limit)
      : platform.readThread(session.channelId, session.threadId, limit));
    const found = posts.findLast((post) => post.author.id !== self.id && !post.isSystem);
    if (found !== undefined || posts.length < limit) return found ?? null;
  }
  return null;
}
