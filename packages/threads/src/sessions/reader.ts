import type { SessionSetUp } from '../commands/command.ts';
import { PlatformError } from '../platforms/platform.ts';
import type { MessageOutcome, MessageTable, SessionTable } from '../tables.ts';
import type { Typed } from '../typed.ts';
import type { TaskDesk } from '../unattended/desk.ts';
import type { CommandReading } from './joins.ts';
import { keyOf, messageByKey, messagesIn, moveMessage } from './messages.ts';
import { MOST_HELD } from './outsiders.ts';
import { messageReadings, type Reading, type ReadingOptions } from './reading.ts';
import { sessionById } from './records.ts';
import { commandRunner } from './running-commands.ts';
import type { SessionActions, Standing } from './session.ts';
import type { Slots } from './slots.ts';
import { startSession } from './starting.ts';

export interface ReaderOptions extends ReadingOptions {
  readonly slots: Slots;
  readonly actions: SessionActions;
  readonly tasks: TaskDesk;
  readonly signal: AbortSignal;
  /** Asks about a message of someone who is not in the session. */
  held(message: MessageTable, session: SessionTable): void;
  /** Lets work go on by itself. */
  start(what: string, work: Promise<unknown>): void;
}

/** Reads recorded messages one by one: what each means, and what comes of it. */
export function messageReader(options: ReaderOptions) {
  const { ports, behaviour, platform, joins } = options;
  const { store } = ports;
  const { readingOf, ruleOf, speakerFor } = messageReadings(options);
  const runAll = commandRunner(options);

  async function done(message: MessageTable, outcome: MessageOutcome): Promise<void> {
    await moveMessage(store.db, keyOf(message), ['new'], { state: 'done', outcome });
  }

  async function read(message: MessageTable): Promise<void> {
    const reading = await readingOf(message);
    const { meaning, say, post, session, rule, typed } = reading;
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
          `👋 Tell me what to do${rule.startsUnmentioned ? '' : ' in the same message that mentions me'}. ${typed('help')} lists the commands.`,
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
        await say(unknownCommand(reading), key);
        return done(message, 'command');
      case 'hold':
        return session === null ? undefined : hold(reading, session);
      case 'queue':
        if (session !== null) await queue(reading, session, reading.agentText ?? message.text);
        return;
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

  /**
   * Puts a message into the session's queue. False when its author has edited it, or taken it back, since it was
   * read: then it is read anew.
   *
   * @param prompt What the agent is given of it.
   */
  async function queue(reading: Reading, session: SessionTable, prompt: string): Promise<boolean> {
    if (await answers(reading, session)) return true;
    const { message, post, command, say, typed } = reading;
    if (command.kind === 'unknown' && !post.author.isBot) {
      await say(passedOn(command, typed), `reply:${message.post_id}`);
    }
    const { session_id } = session;
    const changes = { state: 'queued', session_id, text: prompt } as const;
    if (!(await moveMessage(store.db, keyOf(message), ['new'], changes, message.text))) return false;
    acknowledge(message);
    options.live(session).wake();
    return true;
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
    let rest = { ...reading, text: command.prompt };
    while (!(await queue(rest, current, rest.text))) {
      const edited = await messageByKey(store.db, keyOf(message));
      if (edited?.state !== 'new') return;
      // Its commands are carried out, and an edit runs none.
      const again = await readingOf(edited);
      rest = { ...again, text: again.command.kind === 'commands' ? again.command.prompt : again.text };
      if (rest.text === '') return done(message, 'command');
    }
  }

  async function start(reading: Reading): Promise<void> {
    const { message, post, command, text, say, typed } = reading;
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
    const started = await startSession({ ...options, say, typed }, message, prompt, setUp);
    // One that was edited meanwhile is read anew.
    if (started === null || started === 'changed') return;
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

type Unknown = Extract<CommandReading, { kind: 'unknown' }>;

function unknownCommand({ command, typed }: Reading): string {
  if (command.kind !== 'unknown') return 'I do not know that command.';
  return `I know no \`!${command.word}\`, so nothing was begun.${nearestInWords(command, typed)}`;
}

function passedOn(reading: Unknown, typed: Typed): string {
  return `\`!${reading.word}\` is no command of mine, so it goes to the agent as a message.${nearestInWords(reading, typed)}`;
}

function nearestInWords({ nearest }: Unknown, typed: Typed): string {
  return `${nearest === null ? '' : ` Did you mean ${typed(nearest)}?`} ${typed('help')} lists the commands.`;
}
