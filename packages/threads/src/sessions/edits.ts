import type { Post } from '../platforms/platform.ts';
import type { MessageTable } from '../tables.ts';
import { messageByKey, rewriteMessage } from './messages.ts';
import { messageReadings, type Reading, type ReadingOptions } from './reading.ts';

/** A message moves on at most from new to queued to given; what is more is not its own doing. */
const MOST_LOOKS = 3;

/**
 * What an edit of a message does: as long as the agent has not been given it, it is given the new text. A message
 * that somebody else let in stays what it was when they did. An edit runs no commands.
 */
export function messageEdits(options: ReadingOptions): (post: Post) => Promise<void> {
  const { ports, platform } = options;
  const { db } = ports.store;
  const { readingOf } = messageReadings(options);

  /** False when the message has moved on meanwhile, so that it has to be looked at again. */
  async function change(post: Post): Promise<boolean> {
    const key = { platformId: platform.id, channelId: post.channelId, postId: post.postId };
    const message = await messageByKey(db, key);
    // Nobody has looked at it yet: it is read as it stands now.
    if (message?.state === 'new') return rewriteMessage(db, key, 'new', post);
    if (message?.state !== 'queued') return true;
    const reading = await readingOf({ ...message, ...edited(post) });
    if (reading.standing === 'stranger') return true;
    const text = textOf(reading);
    if (text !== '' || post.files.length > 0) return rewriteMessage(db, key, 'queued', { ...post, text });
    await reading.say('An edit runs no command: write it as a message of its own.', `edit:${post.postId}`);
    return true;
  }

  return async (post) => {
    let looks = 0;
    while (!(await change(post)) && looks < MOST_LOOKS) looks += 1;
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
