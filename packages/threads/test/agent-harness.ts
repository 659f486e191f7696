import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@postern/http';
import { systemClock } from '@postern/kit';
import type { AgentEvent, AgentLaunch, AgentProcess } from '../src/agent/agent.ts';
import { type ClaudeAgentOptions, claudeAgent } from '../src/agent/claude/claude-agent.ts';

/** An agent at work on a fresh folder, with what it tells kept for the test. */
export interface AtWork {
  readonly process: AgentProcess;
  readonly events: AgentEvent[];
  /** Sends a text; gives the message's uuid, a fresh one unless one is given. */
  say(text: string, uuid?: string): Promise<string>;
  /** The nth event that matches, there already or to come. */
  event<Type extends AgentEvent['type']>(
    type: Type,
    nth?: number,
  ): Promise<Extract<AgentEvent, { type: Type }>>;
  /** All of the agent's own text so far. */
  text(): string;
}

export interface Workshop extends AsyncDisposable {
  readonly folder: string;
  readonly workingDir: string;
  readonly filesDir: string;
  /** Options of all agents started from now on. */
  readonly base: { env?: NodeJS.ProcessEnv };
  start(launch?: Partial<AgentLaunch>, options?: Partial<ClaudeAgentOptions>): Promise<AtWork>;
  stopAll(): Promise<void>;
}

/** @param common What all agents of the workshop have in common. */
export async function workshop(
  common: Pick<ClaudeAgentOptions, 'command'> & Partial<ClaudeAgentOptions>,
): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'workshop-'));
  const workingDir = join(folder, 'work');
  await mkdir(workingDir);
  const filesDir = join(folder, 'data', 'agents');
  const base = { ...common };
  const started: AgentProcess[] = [];

  async function start(launch: Partial<AgentLaunch> = {}, options: Partial<ClaudeAgentOptions> = {}) {
    const events: AgentEvent[] = [];
    const watchers = new Set<() => void>();
    const agent = claudeAgent({
      env: process.env,
      filesDir,
      toolsServer: () => ({ command: process.execPath, args: [permissionServer], env: {} }),
      clock: systemClock,
      newUuid: randomUUID,
      log: silentLog,
      ...base,
      ...options,
    });
    const running = await agent.launch({
      agentSessionId: randomUUID(),
      resume: false,
      workingDir,
      permissionMode: 'default',
      systemPrompt: '',
      background: '',
      bridge: { socketPath: join(folder, 'bridge.sock'), token: 'the-token-of-the-bridge' },
      features: [],
      deniedPaths: [],
      autoMemoryDir: null,
      account: null,
      onEvent: async (event) => {
        events.push(event);
        for (const look of watchers) look();
      },
      ...launch,
    });
    started.push(running);
    const atWork: AtWork = {
      process: running,
      events,
      async say(text, uuid = randomUUID()) {
        await running.send({ uuid, content: [{ type: 'text', text }] });
        return uuid;
      },
      event: (type, nth = 1) =>
        new Promise((resolve, reject) => {
          const look = () => {
            const found = events.filter((event) => event.type === type)[nth - 1];
            if (!found) return;
            watchers.delete(look);
            resolve(found as never);
          };
          watchers.add(look);
          look();
          void running.ended.then((end) => {
            look();
            reject(new Error(`the agent ended before its ${type}: ${JSON.stringify(end)}`));
          });
        }),
      text: () =>
        events
          .flatMap((event) => (event.type === 'text' && event.parentToolUseId === null ? [event.text] : []))
          .join('\n'),
    };
    return atWork;
  }

  async function stopAll(): Promise<void> {
    await Promise.all(started.splice(0).map((each) => each.stop()));
  }

  return {
    folder,
    workingDir,
    filesDir,
    base,
    start,
    stopAll,
    async [Symbol.asyncDispose]() {
      await stopAll();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A tools' server that decides by itself; see the file. */
export const permissionServer = join(import.meta.dirname, 'permission-server.ts');
