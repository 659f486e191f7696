import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, mcpConfig } from '../../src/agent/claude/command-line.ts';
import { agentEnvironment } from '../../src/agent/claude/environment.ts';
import { inputLine } from '../../src/agent/claude/messages.ts';
import { permissionServer } from '../agent-harness.ts';

export interface SessionOptions {
  readonly command: string;
  readonly home: string;
  readonly apiUrl: string;
  readonly sessionId: string;
  readonly resume?: boolean;
  /** What the tools' server decides; `none` is a server that does not start. */
  readonly decision?: 'allow' | 'deny' | 'wait' | 'none';
  readonly env?: Readonly<Record<string, string>>;
}

interface Line {
  readonly type?: string;
  readonly subtype?: string;
}

const DEADLINE_MS = 30_000;

/** The CLI, run as the driver runs it, with every line of its output kept as it is. */
export class RecordedSession {
  readonly sessionId: string;
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #watchers = new Set<() => void>();

  constructor({ command, home, apiUrl, sessionId, resume, decision, env }: SessionOptions) {
    this.sessionId = sessionId;
    const server =
      decision === 'none'
        ? { command: '/nowhere/server', args: [], env: {} }
        : { command: process.execPath, args: [permissionServer], env: { DECISION: decision ?? 'allow' } };
    const config = join(home, 'mcp.json');
    writeFileSync(config, mcpConfig(server, []), { mode: 0o600 });
    const args = commandLine(
      {
        agentSessionId: sessionId,
        resume: resume ?? false,
        workingDir: join(home, 'work'),
        permissionMode: 'default',
        systemPrompt: '',
        background: '',
        bridge: { socketPath: '', token: '' },
        features: [],
        deniedPaths: [],
        autoMemoryDir: null,
        account: null,
        onEvent: async () => undefined,
      },
      { mcpConfig: config, background: null },
      true,
    );
    const from = {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: apiUrl,
      ANTHROPIC_API_KEY: 'none',
    };
    this.#child = spawn(command, args, {
      cwd: join(home, 'work'),
      env: { ...agentEnvironment(from, null, 'recording'), ...env },
    });
    this.#child.stderr.pipe(process.stderr);
    this.ended = new Promise((resolve) => this.#child.once('close', () => resolve()));
    let rest = '';
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const [first = '', ...others] = (rest + chunk).split('\n');
      const complete = [first, ...others];
      rest = complete.pop() ?? '';
      this.lines.push(...complete);
      for (const look of this.#watchers) look();
    });
  }

  say(text: string): void {
    this.#write(inputLine({ uuid: randomUUID(), content: [{ type: 'text', text }] }));
  }

  interrupt(): void {
    this.#write({ type: 'control_request', request_id: 'interrupt-1', request: { subtype: 'interrupt' } });
  }

  /** Closes its input and waits for its end. */
  async finish(): Promise<string[]> {
    this.#child.stdin.end();
    await this.ended;
    return this.lines;
  }

  /** Resolves with the nth line of a type. */
  until(type: string, nth = 1): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`no ${type} ${nth} among ${this.lines.join('\n')}`)),
        DEADLINE_MS,
      );
      const look = () => {
        if (this.lines.filter((line) => (JSON.parse(line) as Line).type === type).length < nth) return;
        clearTimeout(late);
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  #write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }
}
