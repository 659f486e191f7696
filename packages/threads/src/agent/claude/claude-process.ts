import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Log } from '@postern/http';
import type { Clock } from '@postern/kit';
import {
  type AgentEnd,
  type AgentEvent,
  AgentGoneError,
  type AgentLaunch,
  type AgentMessage,
  type AgentProcess,
} from '../agent.ts';
import { ControlRequests } from './control.ts';
import type { Environment } from './environment.ts';
import { ErrorTail } from './error-tail.ts';
import { EventQueue } from './event-queue.ts';
import { endLeftovers, signalGroup } from './leftovers.ts';
import { LineReader } from './line-reader.ts';
import { ClaudeEventMapper } from './mapper.ts';
import { inputLine } from './messages.ts';
import * as shapes from './shapes.ts';
import { Turns } from './turns.ts';

/** How long each step of ending or interrupting the CLI may take before the next, harder one, in milliseconds. */
export interface Deadlines {
  /** For the CLI to say that it interrupts. */
  readonly interruptAnswer: number;
  /** For the turn to end then. */
  readonly interruptedTurn: number;
  /** After its input is closed. */
  readonly closedInput: number;
  readonly sigint: number;
  readonly sigterm: number;
  /** For its output to end after the process has. */
  readonly closedOutput: number;
}

export const defaultDeadlines: Deadlines = {
  interruptAnswer: 5_000,
  interruptedTurn: 10_000,
  closedInput: 3_000,
  sigint: 3_000,
  sigterm: 3_000,
  closedOutput: 2_000,
};

/** Events that wait for a slow consumer before the CLI is made to wait as well. */
const MAX_WAITING_EVENTS = 200;
/** Codes by which a version tells that it has a session already; it has no event for it. */
const KNOWN_SESSION = /^Error: Session ID \S+ is already in use/m;

export interface ClaudeRun {
  readonly launch: AgentLaunch;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** The launch's mark in the environment; see leftovers.ts. */
  readonly run: string;
  /** Values never shown in error output. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly deadlines: Deadlines;
  /** Called as soon as the process runs; a failure is logged, and the process runs all the same. */
  readonly onSpawn: (pid: number) => Promise<void>;
  /** Called once, when the process is gone or did not start. */
  readonly cleanUp: () => Promise<void>;
}

/** Resolves when the process runs or could not be started. */
export async function startClaude(run: ClaudeRun): Promise<AgentProcess> {
  const child = spawn(run.command, run.args, {
    cwd: run.launch.workingDir,
    env: run.env,
    stdio: 'pipe',
    // A process group of its own, which can be ended as a whole; on Windows it would open a window.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const started = await new Promise<Error | null>((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', resolve);
  });
  if (started === null) {
    const agent = new ClaudeProcess(child, run);
    await run.onSpawn(agent.pid).catch((error: unknown) => {
      run.log.warn({ err: error }, 'an agent is not on record and would outlive a kill of this process');
    });
    return agent;
  }
  await run.cleanUp();
  const isMissing = (started as NodeJS.ErrnoException).code === 'ENOENT';
  const why = isMissing
    ? 'it is not installed here. Install the agent CLI, or set CLAUDE_PATH to it'
    : started.message;
  return notStarted(`${run.command} could not be started: ${why}`);
}

/** A process that never was. */
export function notStarted(problem: string): AgentProcess {
  const end: AgentEnd = {
    reason: 'not_started',
    exitCode: null,
    signal: null,
    isMidTurn: false,
    isUnknownSession: false,
    errorOutput: problem,
  };
  return {
    pid: 0,
    send: () => Promise.reject(new AgentGoneError(problem)),
    interrupt: async () => false,
    stop: async () => end,
    ended: Promise.resolve(end),
  };
}

class ClaudeProcess implements AgentProcess {
  readonly pid: number;
  readonly ended: Promise<AgentEnd>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #run: ClaudeRun;
  readonly #mapper: ClaudeEventMapper;
  readonly #turns = new Turns();
  readonly #control: ControlRequests;
  readonly #queue: EventQueue<AgentEvent>;
  readonly #errors: ErrorTail;
  readonly #exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  #isGone = false;
  #readAt = 0;
  #stopping: Promise<AgentEnd> | null = null;
  #interrupting: Promise<boolean> | null = null;

  constructor(child: ChildProcessWithoutNullStreams, run: ClaudeRun) {
    this.#child = child;
    this.#run = run;
    this.pid = child.pid ?? 0;
    this.#mapper = new ClaudeEventMapper(run.launch);
    this.#control = new ControlRequests(run.clock, (line) => this.#write(line));
    this.#queue = new EventQueue(MAX_WAITING_EVENTS, (event) => this.#handOver(event));
    this.#errors = new ErrorTail(run.secrets);
    child.stderr.on('data', (chunk: Buffer) => this.#errors.push(chunk));
    // Writes fail one by one, each with its caller; nobody else needs to know.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('error', (error) =>
      run.log.warn({ err: error, pid: this.pid }, 'the agent could not be signalled'),
    );
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.ended = this.#live();
  }

  async send(message: AgentMessage): Promise<void> {
    if (this.#isGone || this.#stopping !== null) throw new AgentGoneError('the agent has ended');
    this.#turns.sent(message.uuid);
    try {
      await this.#write(inputLine(message));
    } catch (error) {
      throw new AgentGoneError('the agent has ended', { cause: error });
    }
  }

  interrupt(): Promise<boolean> {
    this.#interrupting ??= this.#interrupt().finally(() => {
      this.#interrupting = null;
    });
    return this.#interrupting;
  }

  stop(): Promise<AgentEnd> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #interrupt(): Promise<boolean> {
    if (this.#isGone || !this.#turns.isMidTurn) return false;
    const finished = Promise.race([this.#turns.untilFinished(), this.#exited]);
    const { interruptAnswer, interruptedTurn } = this.#run.deadlines;
    const isHeard = await Promise.race([
      this.#control.request('interrupt', interruptAnswer),
      finished.then(() => true),
    ]);
    if (isHeard && (await this.#within(finished, interruptedTurn))) return true;
    // The CLI ends after this; its session goes on in the next process.
    signalGroup(this.pid, 'SIGINT');
    await this.#within(finished, interruptedTurn);
    return true;
  }

  async #stop(): Promise<AgentEnd> {
    const { closedInput, sigint, sigterm } = this.#run.deadlines;
    this.#child.stdin.end();
    const isGone =
      (await this.#within(this.#exited, closedInput)) ||
      (await this.#signalled('SIGINT', sigint)) ||
      (await this.#signalled('SIGTERM', sigterm));
    if (!isGone) endLeftovers(this.pid, this.#run.run);
    return this.ended;
  }

  #signalled(signal: NodeJS.Signals, deadlineMs: number): Promise<boolean> {
    signalGroup(this.pid, signal);
    return this.#within(this.#exited, deadlineMs);
  }

  async #live(): Promise<AgentEnd> {
    const reading = this.#read();
    const { code, signal } = await this.#exited;
    this.#isGone = true;
    // Whatever it has left running would also keep its output open.
    endLeftovers(this.pid, this.#run.run);
    await this.#untilRead(reading);
    await this.#queue.drained();
    await this.#run.cleanUp();
    const errorOutput = this.#errors.toString();
    return {
      reason: this.#stopping !== null ? 'wanted' : signal === null ? 'exited' : 'signalled',
      exitCode: code,
      signal,
      isMidTurn: this.#turns.isMidTurn,
      isUnknownSession: this.#mapper.isUnknownSession,
      isKnownSession: !this.#run.launch.resume && KNOWN_SESSION.test(errorOutput),
      errorOutput,
    };
  }

  /** Somebody who has escaped may hold the output open for ever: silence for a while is its end. */
  async #untilRead(reading: Promise<void>): Promise<void> {
    for (;;) {
      const before = this.#readAt;
      if (await this.#within(reading, this.#run.deadlines.closedOutput)) return;
      if (this.#readAt === before && !this.#queue.isFull) this.#child.stdout.destroy();
    }
  }

  async #read(): Promise<void> {
    const reader = new LineReader();
    try {
      for await (const chunk of this.#child.stdout as AsyncIterable<Buffer>) {
        this.#readAt += chunk.length;
        for (const line of reader.push(chunk)) await this.#take(line);
      }
    } catch {
      // Its output was closed half-way; what came is all there is.
    }
    for (const line of reader.end()) await this.#take(line);
  }

  async #take(line: string | null): Promise<void> {
    if (line === null) {
      this.#run.log.warn({ pid: this.pid }, 'a line of the agent was too long and is left out');
      return;
    }
    const value = parsed(line);
    const type = shapes.envelope.safeParse(value).data?.type;
    if (type === 'control_response') return this.#control.answered(value);
    if (type === 'control_request') return this.#control.refuse(value);
    if (type === 'command_lifecycle') return this.#follow(value);
    for (const event of this.#mapper.map(value)) {
      if (event.type === 'taken' && !this.#turns.taken(event.uuid)) continue;
      if (event.type === 'ready') this.#turns.begun();
      if (event.type === 'turn_finished') this.#turns.finished();
      await this.#queue.push(event);
    }
  }

  async #follow(line: unknown): Promise<void> {
    const { command_uuid: uuid, state } = shapes.commandLifecycle.safeParse(line).data ?? {};
    if (uuid === undefined || (state !== 'completed' && state !== 'cancelled')) return;
    // A message that the session has already is done with before it is echoed.
    const isTaken = state === 'completed' && this.#turns.taken(uuid);
    this.#turns.closed(uuid);
    if (isTaken) await this.#queue.push({ type: 'taken', uuid });
  }

  async #handOver(event: AgentEvent): Promise<void> {
    try {
      await this.#run.launch.onEvent(event);
    } catch (error) {
      this.#run.log.error(
        { err: error, pid: this.pid, event: event.type },
        'an event of the agent was not handled',
      );
    }
  }

  /** Resolves when the line is written; rejects when the process ends first. */
  async #write(line: object): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#child.stdin.write(`${JSON.stringify(line)}\n`, (error) => (error ? reject(error) : resolve()));
    });
    const gone = this.#exited.then(() => Promise.reject(new AgentGoneError('the agent has ended')));
    await Promise.race([written, gone]);
  }

  async #within(promise: Promise<unknown>, deadlineMs: number): Promise<boolean> {
    const late = new AbortController();
    const isDone = await Promise.race([
      promise.then(() => true),
      this.#run.clock.sleep(deadlineMs, late.signal).then(() => false),
    ]);
    late.abort();
    return isDone;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
