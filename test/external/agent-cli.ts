import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeMessagesApi } from '../fakes/messages-api.ts';
import { freshFolder } from '../support/folders.ts';
import { runProgram } from '../support/run-program.ts';
import { claude } from './tool-paths.ts';

/** The real agent CLI, run once, without any memory of runs before it and with no network but loopback. */

export interface AgentEvent {
  readonly type: string;
  readonly subtype?: string;
  readonly [field: string]: unknown;
}

export interface AgentRun {
  readonly code: number | null;
  readonly events: readonly AgentEvent[];
  /** The event that tells what the agent has at hand. */
  readonly init: {
    readonly tools: readonly string[];
    readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
  };
  /** The event that ends the run. */
  readonly result: { readonly is_error: boolean; readonly result?: string };
}

export interface AgentOptions {
  readonly api: FakeMessagesApi;
  /** MCP servers by name, as in an `--mcp-config` file. */
  readonly servers: Readonly<Record<string, object>>;
  readonly prompt?: string;
  /** By default the CLI gives the model the tools' names, and their schemas only when it searches for them. */
  readonly schemas?: 'at_once' | 'on_demand';
}

/** @throws Error with the CLI's output when it ends without its first or its last event. */
export async function runAgent({
  api,
  servers,
  prompt = 'See to the inbox.',
  schemas = 'on_demand',
}: AgentOptions): Promise<AgentRun> {
  const home = await freshFolder();
  const work = join(home, 'work');
  await mkdir(work);
  const config = join(home, 'mcp.json');
  await writeFile(config, JSON.stringify({ mcpServers: servers }), { mode: 0o600 });
  const allowed = Object.keys(servers).map((name) => `mcp__${name}`);
  const { code, stdout, stderr } = await runProgram(
    claude,
    [
      ...['-p', prompt, '--output-format', 'stream-json', '--verbose'],
      ...['--strict-mcp-config', '--mcp-config', config, '--setting-sources', ''],
      ...['--allowedTools', allowed.join(',')],
    ],
    {
      cwd: work,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        CLAUDE_CONFIG_DIR: join(home, '.claude'),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'a-key-for-the-fake',
        ENABLE_TOOL_SEARCH: String(schemas === 'on_demand'),
      },
    },
  );
  const events = stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as AgentEvent);
  const init = events.find(({ type, subtype }) => type === 'system' && subtype === 'init');
  const result = events.findLast(({ type }) => type === 'result');
  if (!init || !result) throw new Error(`the agent ended with ${code} half-way: ${stdout}\n${stderr}`);
  return {
    code,
    events,
    init: init as unknown as AgentRun['init'],
    result: result as unknown as AgentRun['result'],
  };
}
