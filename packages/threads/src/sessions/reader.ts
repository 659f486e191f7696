import { nowMilliseconds } from '@postern/kit';
import type { CommandResult, SessionSetUp } from '../commands/command.ts';
import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import { channelMemory } from '../memory/channel-memory.ts';
import { type Platform, PlatformError, type Post } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { MessageOutcome, MessageTable, SessionTable } from '../tables.ts';
import type { TaskDesk } from '../unattended/desk.ts';
import { addressingOf } from './addressing.ts';
import { decide, type Meaning, type SeenCommand } from './decide.ts';
import type { CommandReading, Say, SessionJoins } from './joins.ts';
import type { LiveSession } from './live.ts';
import { keyOf, messagesIn, moveMessage, postOf } from './messages.ts';
import { MOST_HELD } from './outsiders.ts';
import type { People } from './people.ts';
import { type ChannelRule, channelRuleOf } from './places.ts';
import { liveSessionOf, sessionById, viewOf } from './records.ts';
import { speaker } from './say.ts';
import type { SessionActions, Standing } from './session.ts';
import type { Slots } from './slots.ts';
import { startSession } from './starting.ts';

export interface ReaderOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly joins: SessionJoins;
  readonly slots: Slots;
  readonly actions: SessionActions;
  readonly people: People;
  readonly tasks: TaskDesk;
  readonly signal: AbortSignal;
  standing(session: SessionTable | null, personId: string): Promise<Standing>;
  live(session: SessionTable): LiveSession;
  /** Asks about a message of someone who is not in the session. */
  held(message: MessageTable, session: SessionTable): void;
  /** Lets work go on by itself. */
  start(what: string, work: Promise<unknown>): void;
}

/** One message with all that a decision on it takes. */
interface Reading {
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
  readonly rule: ChannelRule;
}

type Commands = Extract<CommandReading, { kind: 'commands' }>;

/** Reads recorded messages one by one: what each means, and what comes of it. */
export function messageReader(options: ReaderOptions) {
  const { ports, config, behaviour, platform, joins, people } = options;
  const { store } = ports;
  const memory = channelMemory(ports);

  async function readingOf(message: MessageTable): Promise<Reading & { meaning: Meaning }> {
    const post = postOf(message);
    const session = await liveSessionOf(store.db, {
      platformId: platform.id,
      channelId: message.channel_id,
      threadId: message.thread_id,
    });
    const { addressed, text } = addressingOf(post, (await people.self()).id);
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

  async function done(message: MessageTable, outcome: MessageOutcome): Promise<void> {
    await moveMessage(store.db, keyOf(message), ['new'], { state: 'done', outcome });
  }

  async function read(message: MessageTable): Promise<void> {
    const reading = await readingOf(message);
    const { meaning, say, post, session, rule } = reading;
    const key = `reply:${message.post_id}`;
    switch (meaning.act) {
      case 'ignore':
        if (meaning.mayAnswer === true && session !== null && (await answers(reading, session))) return;
        return done(message, meaning.why === 'refused_before' ? 'refused' : 'ignored');
      case 'kill':
      case 'command':
        return runCommands(reading);
      case 'refuse':
        await ports.audit.record(platform.id, {
          action: 'session_refused',
          sessionId: session?.session_id ?? null,
          channelId: message.channel_id,
          threadId: message.thread_id,
          actor: post.author.id,
          actorName: post.author.name,
        });
        await say(
          `⛔ ${platform.mention(post.author)}, you are not on the list of people I work for. An administrator can add you to allowedUsers.`,
          key,
        );
        return done(message, 'refused');
      case 'refuse_command':
        await say(`⛔ That command is for ${IN_WORDS[meaning.needs]}.`, key);
        return done(message, 'refused');
      case 'hint':
        await say(
          '👋 Tell me what to do in the same message that mentions me. `!help` lists the commands.',
          key,
        );
        return done(message, 'ignored');
      case 'no_session':
        await say(
          rule.startsUnmentioned
            ? 'There is no session here. Write a task to begin one.'
            : `There is no session in this ${rule.kind}. Mention me with a task to begin one.`,
          key,
        );
        return done(message, 'command');
      case 'unknown_command':
        await say(unknownCommand(reading.command), key);
        return done(message, 'command');
      case 'hold':
        return session === null ? undefined : hold(reading, session);
      case 'queue':
        return session === null ? undefined : queue(reading, session);
      case 'start':
        return start(reading);
    }
  }

  /** Whether a typed message answered an open question of the session. */
  async function answers({ message, post, text }: Reading, session: SessionTable): Promise<boolean> {
    if (post.author.isBot || text === '') return false;
    if (!(await joins.questions.answerTyped(session.session_id, post.author.id, text))) return false;
    await done(message, 'answer');
    return true;
  }

  async function queue(reading: Reading, session: SessionTable): Promise<void> {
    if (await answers(reading, session)) return;
    const { message, post, command, agentText, say } = reading;
    if (agentText !== null) await rewrite(message, agentText);
    if (command.kind === 'unknown' && !post.author.isBot) {
      await say(passedOn(command), `reply:${message.post_id}`);
    }
    const { session_id } = session;
    await moveMessage(store.db, keyOf(message), ['new'], { state: 'queued', session_id });
    acknowledge(message);
    options.live(session).wake();
  }

  function acknowledge(message: MessageTable): void {
    const emoji = behaviour.ackReaction;
    if (emoji === null || !platform.capabilities.reactions) return;
    options.start(
      'a message could not be acknowledged',
      platform.react({ channelId: message.channel_id, postId: message.post_id }, emoji).catch((error) => {
        if (!(error instanceof PlatformError)) throw error;
      }),
    );
  }

  async function hold({ message, say }: Reading, session: SessionTable): Promise<void> {
    const waiting = await messagesIn(store.db, session.session_id, ['held'], MOST_HELD);
    if (waiting.length >= MOST_HELD) {
      await say(
        '✋ Too many messages wait for approval already; this one is left out.',
        `reply:${message.post_id}`,
      );
      return done(message, 'denied');
    }
    const { session_id } = session;
    if (await moveMessage(store.db, keyOf(message), ['new'], { state: 'held', session_id }))
      options.held(message, session);
  }

  /** Runs the commands at the head of a message; what follows them in a session is a message of its own. */
  async function runCommands(reading: Reading): Promise<void> {
    const { message, session, command } = reading;
    if (command.kind !== 'commands') return done(message, 'command');
    const setUp: SessionSetUp = { workingDir: null, permissionMode: null, worktreeBranch: null };
    const ran = await runAll(reading, command, setUp);
    if (ran === 'refused' || command.prompt === '' || session === null) return done(message, 'command');
    const current = await sessionById(store.db, session.session_id);
    if (current === null || current.state === 'ended') return done(message, 'command');
    await rewrite(message, command.prompt);
    await queue({ ...reading, text: command.prompt }, current);
  }

  /** `refused` when one was not carried out, of which the thread was told; `silent` when it was told nothing at all. */
  async function runAll(
    reading: Reading,
    { calls }: Commands,
    setUp: SessionSetUp,
  ): Promise<'refused' | 'said' | 'silent'> {
    const { message, post, standing, session, say } = reading;
    let ran: 'said' | 'silent' = 'silent';
    for (const [index, { command, args, rest }] of calls.entries()) {
      const current = session === null ? null : await sessionById(store.db, session.session_id);
      const result: CommandResult = await command.run({
        platform,
        session: current === null || current.state === 'ended' ? null : await viewOf(store.db, current),
        post,
        person: { id: post.author.id, name: post.author.name, standing },
        args,
        rest,
        setUp,
        actions: options.actions,
        tasks: options.tasks,
        nowMs: nowMilliseconds(ports.clock),
        memory: behaviour.memory ? memory : null,
      });
      if (command.isAudited) {
        await ports.audit.record(platform.id, {
          action: 'command',
          sessionId: session?.session_id ?? null,
          channelId: message.channel_id,
          threadId: message.thread_id,
          actor: post.author.id,
          actorName: post.author.name,
          details: { command: command.name, done: result.done },
        });
      }
      if (result.reply !== null) await say(result.reply, `reply:${message.post_id}:${index}`);
      if (!result.done) return 'refused';
      if (result.reply !== null) ran = 'said';
    }
    return ran;
  }

  /** What is left of a message once its commands are carried out. */
  async function rewrite(message: MessageTable, text: string): Promise<void> {
    await store.db
      .updateTable('threads_messages')
      .set({ text })
      .where('platform_id', '=', message.platform_id)
      .where('channel_id', '=', message.channel_id)
      .where('post_id', '=', message.post_id)
      .execute();
  }

  async function start(reading: Reading): Promise<void> {
    const { message, post, command, text, say } = reading;
    const setUp: SessionSetUp = { workingDir: null, permissionMode: null, worktreeBranch: null };
    let prompt = text;
    if (command.kind === 'commands') {
      const ran = await runAll(reading, command, setUp);
      if (ran === 'refused') return done(message, 'command');
      prompt = command.prompt;
      if (prompt === '' && post.files.length === 0) {
        if (ran === 'silent') {
          await say('Now put the task behind the command, in the same message.', `reply:${message.post_id}`);
        }
        return done(message, 'command');
      }
    }
    const started = await startSession({ ...options, say }, message, prompt, setUp);
    if (started === null) return;
    acknowledge(message);
  }

  return {
    read,
    /** The last resort for a message that cannot be handled: its thread is told, without what went wrong inside. */
    async giveUp(message: MessageTable): Promise<void> {
      const say = speakerFor(message, ruleOf(message));
      await say('⚠️ Something went wrong with this message, and I had to leave it. Please write it again.');
      await moveMessage(store.db, keyOf(message), ['new'], { state: 'done', outcome: 'failed' });
    },
  };
}

const IN_WORDS: Readonly<Record<Standing, string>> = {
  owner: 'the person who began the session',
  allowed: 'people on the list of this bot',
  guest: 'people in this session',
  stranger: 'everybody',
};

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

type Unknown = Extract<CommandReading, { kind: 'unknown' }>;

function unknownCommand(reading: CommandReading): string {
  if (reading.kind !== 'unknown') return 'I do not know that command.';
  return `I know no \`!${reading.word}\`, so nothing was begun.${nearestInWords(reading)}`;
}

function passedOn(reading: Unknown): string {
  return `\`!${reading.word}\` is no command of mine, so it goes to the agent as a message.${nearestInWords(reading)}`;
}

function nearestInWords({ nearest }: Unknown): string {
  return `${nearest === null ? '' : ` Did you mean \`!${nearest}\`?`} \`!help\` lists the commands.`;
}
