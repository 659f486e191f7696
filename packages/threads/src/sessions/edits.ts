import type { Post } from '../platforms/platform.ts';
import type { MessageTable } from '../tables.ts';
import { messageByKey, rewriteMessage } from './messages.ts';
import { messageReadings, type Reading, type ReadingOptions } from './reading.ts';

/**
 * What an edit of a message does: as long as the agent has not been given it, it is given the new text. A message
 * that somebody else let in stays what it was when they did. An edit runs no commands.
 */
export function messageEdits(options: ReadingOptions): (post: Post) => Promise<void> {
  const { ports, platform } = options;
  const { db } = ports.store;
  const { readingOf } = messageReadings(options);

  return async (post) => {
    const key = { platformId: platform.id, channelId: post.channelId, postId: post.postId };
    const message = await messageByKey(db, key);
    // Nobody has looked at it yet: it is read as it stands now.
    if (message?.state === 'new') return rewriteMessage(db, key, 'new', post);
    if (message?.state !== 'queued') return;
    const reading = await readingOf({ ...message, ...edited(post) });
    if (reading.standing === 'stranger') return;
    const text = textOf(reading);
    if (text !== '' || post.files.length > 0) await rewriteMessage(db, key, 'queued', { ...post, text });
    else
      await reading.say('An edit runs no command: write it as a message of its own.', `edit:${post.postId}`);
  };
}

function edited({ text, mentions }: Post): Pick<MessageTable, 'text' | 'mentions_json'> {
  return { text, mentions_json: JSON.stringify(mentions) };
}

/** What of it is for the agent. */
function textOf({ post, text, command, agentText }: Reading): string {
  if (agentText !== null) return agentText;
  if (command.kind === 'commands') return command.prompt;
  return text === '' ? '' : post.text;
}
