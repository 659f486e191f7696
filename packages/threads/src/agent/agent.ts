/**
 * An agent program as sessions see it. Claude Code is the one there is; the interface leaves room for others.
 */
export interface Agent {
  /**
   * Starts a process for a session. It resolves once the process runs, or has turned out not to start: then
   * `ended` tells why. `ready` comes as an event, at the beginning of each turn and not before the first message.
   */
  launch(launch: AgentLaunch): Promise<AgentProcess>;
  /** Whether the program can be run, for `doctor` and the start: its version, or why not. */
  check(signal?: AbortSignal): Promise<AgentCheck>;
  /**
   * Ends what an earlier process of the hub, killed since, has left running: it would work on beside the session
   * that is resumed. Gives how many there were. To be called before the first launch.
   */
  endLeftovers(): Promise<number>;
  /**
   * One answer to one prompt, by a cheap model that has no tools, no history and nothing of the working folder. For
   * small jobs beside the sessions; what comes back is text of a model and may be anything.
   *
   * @throws AgentAskError when there is no answer in time, or the signal aborts.
   */
  ask(prompt: string, options: AskOptions): Promise<string>;
}

export interface AskOptions {
  /** What the model is told to be; short, and the product's own words alone. */
  readonly systemPrompt: string;
  readonly signal: AbortSignal;
  /** The answer is waited for so long, in milliseconds. */
  readonly maxMs: number;
  /** Account of the pool; the operator's own where it is missing. */
  readonly account?: AgentLaunch['account'];
}

/** What became of a question that got no answer, in a sentence. */
export class AgentAskError extends Error {
  override readonly name = 'AgentAskError';
}

export type AgentCheck =
  | { readonly ok: true; readonly version: string; readonly path: string }
  | { readonly ok: false; readonly problem: string };

export type PermissionMode = 'default' | 'auto' | 'bypass';

export interface AgentLaunch {
  /** UUID of the agent's own session. */
  readonly agentSessionId: string;
  /** Whether that session has been begun before, so that it is resumed. */
  readonly resume: boolean;
  readonly workingDir: string;
  readonly permissionMode: PermissionMode;
  /** Text added to the agent's system prompt; it is not kept by a resume, so it is given each time. */
  readonly systemPrompt: string;
  /** What people have had remembered, told after it each time too; others on the machine are not to read it. */
  readonly background: string;
  /** The session's side of the bridge, for the tools' server. */
  readonly bridge: { readonly socketPath: string; readonly token: string };
  /** Names of the tools' server features (`memory`, `routines`, `watches`) that are on in this session. */
  readonly features: readonly string[];
  /** Folders the agent may never read or write: the product's own data and configuration. */
  readonly deniedPaths: readonly string[];
  /** Folder for what the program notes by itself about the repository; null: it notes nothing and is told nothing. */
  readonly autoMemoryDir: string | null;
  /** Account of the pool: its home or its key's file; null is the operator's own. */
  readonly account: { readonly home?: string; readonly apiKeyFile?: string } | null;
  /**
   * Called for every event, in order; the next one waits until it resolves. While it takes its time the agent is
   * made to wait too. A rejection is logged, and the next event follows.
   */
  readonly onEvent: (event: AgentEvent) => Promise<void>;
}

export interface AgentProcess {
  readonly pid: number;
  /**
   * Hands the agent a message; busy or not, it takes it in turn. Resolves when it is written. Its `uuid` comes
   * back in a `taken` event once it is in the agent's own history. One that is there already, from an earlier
   * process too, is `taken` at once and begins no turn, so that a message may be given again after a crash.
   *
   * @throws AgentGoneError when the process has ended.
   */
  send(message: AgentMessage): Promise<void>;
  /** Interrupts the turn by a control request, by a signal as the last resort. False: nothing was running. */
  interrupt(): Promise<boolean>;
  /** Ends it: closes its input, then signals, each with a deadline. Resolves when it is gone. */
  stop(): Promise<AgentEnd>;
  /** Resolves when the process is gone and its last event has been handled. Never rejects. */
  readonly ended: Promise<AgentEnd>;
}

export class AgentGoneError extends Error {
  override readonly name = 'AgentGoneError';
}

export interface AgentMessage {
  readonly uuid: string;
  readonly content: readonly AgentContent[];
}

export type AgentContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'document'; readonly mime: string; readonly base64: string };

export interface AgentEnd {
  /** `wanted` after {@link AgentProcess.stop}. */
  readonly reason: 'wanted' | 'exited' | 'signalled' | 'not_started';
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Whether a turn was begun and no `turn_finished` came. */
  readonly isMidTurn: boolean;
  /** Whether the agent does not know the session it was to resume. */
  readonly isUnknownSession: boolean;
  /** Whether the agent has a session of that id already, though it was to begin it: it can be resumed. */
  readonly isKnownSession?: boolean;
  /** End of its error output, bounded, secrets blanked. */
  readonly errorOutput: string;
}

/** `parentToolUseId` is set on the traffic of a subagent: recorded, not shown as text. */
export type AgentEvent =
  | {
      readonly type: 'ready';
      readonly model: string;
      readonly tools: readonly string[];
      readonly slashCommands: readonly string[];
      readonly permissionMode: string;
      /** Whether the server of our own tools is connected. */
      readonly bridge: 'connected' | 'pending' | 'failed';
    }
  | { readonly type: 'taken'; readonly uuid: string }
  | { readonly type: 'text'; readonly text: string; readonly parentToolUseId: string | null }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly parentToolUseId: string | null;
    }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly isError: boolean;
      readonly text: string;
      readonly parentToolUseId: string | null;
    }
  | {
      readonly type: 'turn_finished';
      readonly outcome: 'success' | 'interrupted' | 'failed';
      /** Sentences of what went wrong; empty on success. */
      readonly errors: readonly string[];
      /** Of this turn alone; null when it is not known. */
      readonly costUsd: number | null;
      /** With what was read from the cache and written to it. */
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
      readonly durationMs: number | null;
    }
  /** The provider's API failed and is tried again. */
  | {
      readonly type: 'retrying';
      readonly attempt: number;
      readonly maxRetries: number;
      readonly status: number | null;
    }
  | {
      readonly type: 'rate_limited';
      readonly state: 'allowed' | 'warning' | 'rejected';
      readonly resetsAtMs: number | null;
    }
  | { readonly type: 'compacting'; readonly state: 'started' | 'finished' | 'failed' }
  | { readonly type: 'permission_mode'; readonly mode: string }
  /** The agent has begun a new session by itself, as after `/clear`; that one is to be resumed from now on. */
  | { readonly type: 'session_changed'; readonly agentSessionId: string };
