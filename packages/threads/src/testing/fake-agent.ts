import type {
  Agent,
  AgentEnd,
  AgentEvent,
  AgentLaunch,
  AgentMessage,
  AgentProcess,
  AskOptions,
} from '../agent/agent.ts';
import { AgentAskError, AgentGoneError } from '../agent/agent.ts';

/** A process of the fake agent, as a test sees and drives it. */
export interface FakeProcess {
  readonly launch: AgentLaunch;
  /** All it was given, in order. */
  readonly given: AgentMessage[];
  readonly isGone: boolean;
  /** Says something to the session, as an agent would. */
  emit(event: AgentEvent): Promise<void>;
  /** Dies without a word. */
  die(end?: Partial<AgentEnd>): Promise<void>;
}

export interface FakeAgent extends Agent {
  readonly processes: FakeProcess[];
  /** Sessions it knows by their ids, each with the UUIDs of the messages in its history. Survives its processes. */
  readonly histories: Map<string, Set<string>>;
  /** What it does with a message; by default it takes it, says `answer: <text>` and finishes the turn. */
  behave(script: Script): void;
  /** What a process does when it is told to end. */
  whenStopped(words: (process: FakeProcess) => Promise<void>): void;
  /** The next launch rejects, or gives a process that ends at once. */
  failNextLaunch(how: 'rejects' | 'ends'): void;
  /** Prompts it was asked beside its sessions, in order. */
  readonly asked: string[];
  /** How it answers them; by default it has no answer. */
  whenAsked(answer: (prompt: string, options: AskOptions) => Promise<string>): void;
  /** All its processes are gone at once, and nobody is there any more to be told. */
  vanish(): void;
  /** Resolves with the process of the number (from 0), there already or to come. */
  process(index: number): Promise<FakeProcess>;
}

export type Script = (turn: FakeTurn) => Promise<void>;

export interface FakeTurn {
  readonly message: AgentMessage;
  readonly text: string;
  readonly process: FakeProcess;
  /** Puts the message into the history. False when it is there already. */
  take(): Promise<boolean>;
  say(text: string): Promise<void>;
  finish(more?: Partial<Extract<AgentEvent, { type: 'turn_finished' }>>): Promise<void>;
}

export const textOf = (message: AgentMessage): string =>
  message.content
    .map((block) => (block.type === 'text' ? block.text : `<${block.type} ${block.mime}>`))
    .join('\n');

/** Takes every message once and answers it. */
export const answering: Script = async (turn) => {
  if (!(await turn.take())) return;
  await turn.say(`answer: ${turn.text}`);
  await turn.finish();
};

/** An agent in memory that keeps the rules of the real one: histories outlive processes, no message is taken twice. */
export function fakeAgent(): FakeAgent {
  const processes: FakeProcess[] = [];
  const histories = new Map<string, Set<string>>();
  const waiters = new Set<() => void>();
  const asked: string[] = [];
  let answer: (prompt: string, options: AskOptions) => Promise<string> = async () => {
    throw new AgentAskError('The fake agent has no answer.');
  };
  let script: Script = answering;
  let lastWords: ((process: FakeProcess) => Promise<void>) | null = null;
  let failure: 'rejects' | 'ends' | null = null;
  const vanishings = new Set<() => void>();

  function begin(launch: AgentLaunch): AgentProcess {
    const ended = Promise.withResolvers<AgentEnd>();
    let isGone = false;
    let isMidTurn = false;
    let interrupted: (() => Promise<void>) | null = null;
    let events: Promise<void> = Promise.resolve();
    let turns: Promise<void> = Promise.resolve();
    const given: AgentMessage[] = [];
    vanishings.add(() => {
      isGone = true;
    });
    const emit = (event: AgentEvent): Promise<void> => {
      if (isGone) return Promise.resolve();
      if (event.type === 'turn_finished') isMidTurn = false;
      events = events.then(() => launch.onEvent(event));
      return events;
    };
    const end = async (more: Partial<AgentEnd>): Promise<AgentEnd> => {
      isGone = true;
      await events.catch(() => undefined);
      const result: AgentEnd = {
        reason: 'exited',
        exitCode: 1,
        signal: null,
        isMidTurn,
        isUnknownSession: false,
        errorOutput: '',
        ...more,
      };
      ended.resolve(result);
      return result;
    };
    const own: FakeProcess = {
      launch,
      given,
      get isGone() {
        return isGone;
      },
      emit,
      die: async (more = {}) => void (await end(more)),
    };

    async function turn(message: AgentMessage): Promise<void> {
      if (isGone) return;
      interrupted = () =>
        emit({
          type: 'turn_finished',
          outcome: 'interrupted',
          errors: [],
          costUsd: 0,
          inputTokens: 0,
          outputTokens: 0,
          durationMs: 1,
        });
      await script({
        message,
        text: textOf(message),
        process: own,
        async take() {
          const history = histories.get(launch.agentSessionId) ?? new Set<string>();
          histories.set(launch.agentSessionId, history);
          const isNew = !history.has(message.uuid);
          history.add(message.uuid);
          isMidTurn = isNew;
          await emit({ type: 'taken', uuid: message.uuid });
          if (!isNew) return false;
          await emit({
            type: 'ready',
            model: 'fake',
            tools: [],
            slashCommands: ['compact', 'context', 'cost', 'security-review'],
            permissionMode: launch.permissionMode,
            bridge: 'connected',
          });
          return true;
        },
        say: (text) => emit({ type: 'text', text, parentToolUseId: null }),
        finish: (more = {}) =>
          emit({
            type: 'turn_finished',
            outcome: 'success',
            errors: [],
            costUsd: 0.01,
            inputTokens: 1,
            outputTokens: 1,
            durationMs: 1,
            ...more,
          }),
      });
    }

    processes.push(own);
    for (const look of [...waiters]) look();
    return {
      pid: processes.length,
      ended: ended.promise,
      async send(message) {
        if (isGone) throw new AgentGoneError('gone');
        given.push(message);
        turns = turns.then(() => turn(message)).catch(() => undefined);
      },
      async interrupt() {
        if (!isMidTurn || interrupted === null) return false;
        await interrupted();
        return true;
      },
      async stop() {
        // Like the real one, which says what it has to say before it goes.
        await lastWords?.(own);
        return end({ reason: 'wanted', exitCode: 0 });
      },
    };
  }

  return {
    processes,
    histories,
    behave: (given) => {
      script = given;
    },
    whenStopped: (words) => {
      lastWords = words;
    },
    failNextLaunch: (how) => {
      failure = how;
    },
    async launch(launch) {
      const how = failure;
      failure = null;
      if (how === 'rejects') throw new Error('the fake agent cannot be started');
      const known = histories.has(launch.agentSessionId);
      const started = begin(launch);
      const own = processes.at(-1);
      if (how === 'ends')
        void own?.die({ reason: 'not_started', exitCode: null, errorOutput: 'no such program' });
      else if (launch.resume && !known) void own?.die({ isUnknownSession: true });
      else if (!launch.resume && known) void own?.die({ isKnownSession: true });
      return started;
    },
    vanish() {
      for (const vanish of vanishings) vanish();
      vanishings.clear();
    },
    check: async () => ({ ok: true, version: '0', path: 'fake' }),
    endLeftovers: async () => 0,
    asked,
    whenAsked: (given) => {
      answer = given;
    },
    ask(prompt, options) {
      asked.push(prompt);
      return answer(prompt, options);
    },
    process: (index) =>
      new Promise((resolve) => {
        const look = () => {
          const found = processes[index];
          if (!found) return;
          waiters.delete(look);
          resolve(found);
        };
        waiters.add(look);
        look();
      }),
  };
}
