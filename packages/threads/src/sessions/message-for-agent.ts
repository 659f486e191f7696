import { sanitizeName } from '@postern/kit';
import type { AgentMessage } from '../agent/agent.ts';
import type { ThreadsConfig } from '../config.ts';
import type { Platform, Post } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { addressingOf } from './addressing.ts';
import { type FilesIn, takeFiles } from './files-in.ts';
import { isOwnMessage, postOf } from './messages.ts';
import { type People, shownName } from './people.ts';
import { promptOf } from './prompts.ts';

export interface MessageForAgentOptions {
  readonly ports: Pick<ThreadsPorts, 'store' | 'log'>;
  readonly config: Pick<ThreadsConfig, 'userAttribution'>;
  readonly platform: Platform;
  readonly people: People;
  readonly session: Pick<SessionTable, 'session_id' | 'owner_id'>;
  readonly uploadDir: string;
  /** Slash commands the agent says it has. */
  readonly slashCommands: readonly string[];
}

/** A recorded message as the agent is given it, its files fetched and stored; and which files did not come through. */
export async function messageForAgent(
  options: MessageForAgentOptions,
  message: MessageTable,
  uuid: string,
): Promise<{ readonly prompt: AgentMessage; readonly refused: readonly string[] }> {
  const post = postOf(message);
  const files = await filesOf(options, post);
  const { text } = addressingOf(post, (await options.people.self()).id);
  const isNamed = !isAgentCommand(options, message, text) && (await needsAttribution(options, message));
  const author = isNamed ? shownName(post.author) : null;
  return { prompt: promptOf({ uuid, text, author, files }), refused: files.refused };
}

async function filesOf(
  { ports, platform, uploadDir, session }: MessageForAgentOptions,
  post: Post,
): Promise<FilesIn> {
  try {
    return await takeFiles(platform, uploadDir, post.postId, post.files);
  } catch (error) {
    ports.log.error({ err: error, session: session.session_id }, 'files of a message could not be stored');
    const refused = post.files.map(({ name }) => `${sanitizeName(name, 'a file')}: it could not be stored`);
    return { content: [], notes: [], refused };
  }
}

/** One of the agent's own commands, which is none with a name in front of it. */
function isAgentCommand(
  { slashCommands }: MessageForAgentOptions,
  message: MessageTable,
  text: string,
): boolean {
  if (isOwnMessage(message)) return true;
  const word = /^\/([\w:-]+)(?=\s|$)/.exec(text)?.[1];
  return word !== undefined && slashCommands.includes(word);
}

/** Who speaks is said once there is more than one who does. */
async function needsAttribution(
  { ports, config, session }: MessageForAgentOptions,
  message: MessageTable,
): Promise<boolean> {
  if (!config.userAttribution) return false;
  if (message.author_id !== session.owner_id) return true;
  const others = await ports.store.db
    .selectFrom('threads_messages')
    .select('post_id')
    .where('session_id', '=', session.session_id)
    .where('author_id', '<>', session.owner_id)
    .where('position', '<', message.position)
    .where((where) => where.or([where('outcome', '=', 'answered'), where('state', 'in', ['given', 'taken'])]))
    .limit(1)
    .executeTakeFirst();
  return others !== undefined;
}
