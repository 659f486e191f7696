import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform, Post } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { type Typed, typedWith } from '../typed.ts';
import { addressingOf } from './addressing.ts';
import { decide, type Meaning, type SeenCommand } from './decide.ts';
import type { CommandReading, Say, SessionJoins } from './joins.ts';
import type { LiveSession } from './live.ts';
import { postOf } from './messages.ts';
import type { People } from './people.ts';
import { type ChannelRule, channelRuleOf } from './places.ts';
import { liveSessionOf } from './records.ts';
import { speaker } from './say.ts';
import type { Standing } from './session.ts';

export interface ReadingOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly joins: SessionJoins;
  readonly people: People;
  standing(session: SessionTable | null, personId: string): Promise<Standing>;
  live(session: SessionTable): LiveSession;
}

/** One message with all that a decision on it takes. */
export interface Reading {
  readonly message: MessageTable;
  readonly post: Post;
  /** Without the bot's mention. */
  readonly text: string;
  readonly session: SessionTable | null;
  readonly standing: Standing;
  readonly command: CommandReading;
  /** The text as the agent is given it, where it was a command of the agent's own. */
  readonly agentText: string | null;
  readonly say: Say;
  /** How commands are typed there. */
  readonly typed: Typed;
  readonly rule: ChannelRule;
  readonly meaning: Meaning;
}

/** Looks up what a recorded message stands among, and what it means there. */
export function messageReadings(options: ReadingOptions) {
  const { ports, config, behaviour, platform, joins, people } = options;
  const { store } = ports;

  async function readingOf(message: MessageTable): Promise<Reading> {
    const post = postOf(message);
    const session = await liveSessionOf(store.db, {
      platformId: platform.id,
      channelId: message.channel_id,
      threadId: message.thread_id,
    });
    const self = await people.self();
    const { addressed, text } = addressingOf(post, self.id);
    const standing = await standingOf(post, session);
    const { command, agentText } = withAgentCommands(joins.commands.read(text), session);
    const rule = ruleOf(message);
    const meaning = decide({
      // In a direct conversation nobody else is there to be spoken to.
      addressed: rule.kind === 'direct' && addressed === 'other' ? 'nobody' : addressed,
      isBot: post.author.isBot,
      hops: message.hops,
      isEmpty: text === '' && post.files.length === 0,
      standing,
      session: session === null ? null : { mentionsOnly: session.mentions_only === 1 || rule.needsMention },
      startsUnmentioned: rule.startsUnmentioned,
      isDirect: rule.kind === 'direct',
      command: seenCommand(command),
      wasRefused: standing === 'stranger' && (await wasRefused(message)),
    });
    return {
      message,
      post,
      text,
      session,
      standing,
      command,
      agentText,
      say: speakerFor(message, rule),
      typed: typedWith(session === null && !rule.startsUnmentioned ? self.name : null),
      rule,
      meaning,
    };
  }

  /** The rule of its channel; one that is no longer listened in is answered as it was. */
  function ruleOf({ channel_id }: MessageTable): ChannelRule {
    const behaviourThen =
      channel_id === platform.channelId ? behaviour : { ...behaviour, directMessages: true };
    const rule = channelRuleOf(platform, behaviourThen, channel_id, config.respondOnlyWhenMentioned);
    if (rule === null) throw new Error('every channel has a rule once direct ones count');
    return rule;
  }

  function speakerFor(message: MessageTable, { kind }: ChannelRule): Say {
    const threadId = kind === 'thread' ? message.thread_id : null;
    return speaker({ platform, channelId: message.channel_id, threadId }, ports.log);
  }

  /** A bot that is let in may begin a session and take part in any; it decides nothing. */
  async function standingOf(post: Post, session: SessionTable | null): Promise<Standing> {
    if (!post.author.isBot) return options.standing(session, post.author.id);
    return session === null ? 'allowed' : 'guest';
  }

  /** `!name` for a slash command of the agent's own is that command, as the agent has it. */
  function withAgentCommands(
    command: CommandReading,
    session: SessionTable | null,
  ): Pick<Reading, 'command' | 'agentText'> {
    if (command.kind !== 'unknown' || session === null) return { command, agentText: null };
    const known = options.live(session).slashCommands();
    const name = known.find((each) => each.toLowerCase() === command.word);
    if (name === undefined) return { command, agentText: null };
    return { command: { kind: 'none' }, agentText: `/${name}${command.behind}` };
  }

  async function wasRefused(message: MessageTable): Promise<boolean> {
    const before = await store.db
      .selectFrom('threads_messages')
      .select('post_id')
      .where('platform_id', '=', platform.id)
      .where('channel_id', '=', message.channel_id)
      .where('thread_id', '=', message.thread_id)
      .where('author_id', '=', message.author_id)
      .where('outcome', '=', 'refused')
      .limit(1)
      .executeTakeFirst();
    return before !== undefined;
  }

  return { readingOf, ruleOf, speakerFor };
}

const RANKS: readonly Standing[] = ['stranger', 'guest', 'allowed', 'owner'];

function seenCommand(reading: CommandReading): SeenCommand | null {
  if (reading.kind === 'none') return null;
  if (reading.kind === 'unknown') {
    return {
      kind: 'unknown',
      who: 'guest',
      needsSession: false,
      isStackable: false,
      hasNearest: reading.nearest !== null,
    };
  }
  const commands = reading.calls.map(({ command }) => command);
  const who = RANKS.findLast((rank) => commands.some((command) => command.who === rank)) ?? 'owner';
  return {
    kind: commands[0]?.name === 'kill' ? 'kill' : 'known',
    who,
    needsSession: commands.some((command) => command.needsSession),
    isStackable: commands.every((command) => command.isStackable),
    hasNearest: false,
  };
}
