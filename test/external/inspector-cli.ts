import { freshFolder } from '../support/folders.ts';
import { runProgram } from '../support/run-program.ts';
import type { HttpServer, StdioServer } from './inbox-servers.ts';
import { inspector } from './tool-paths.ts';

/** One run of the MCP Inspector's command line. */

/** What it ends with. */
export const EXIT = { ok: 0, authRequired: 3, unreachable: 4, toolError: 5 } as const;

export interface Inspection {
  readonly code: number | null;
  /** What stands on stdout, if it is anything. */
  readonly result: {
    readonly tools?: readonly { readonly name: string }[];
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: Record<string, unknown>;
  } | null;
  /** Lines on stderr: errors, and what `--strict` has to say. */
  readonly complaints: string;
}

export type Era = 'legacy' | 'modern';

export async function inspect(
  server: StdioServer | HttpServer,
  era: Era,
  ...args: string[]
): Promise<Inspection> {
  const folder = await freshFolder();
  const target =
    'url' in server
      ? [server.url, '--transport', 'http', ...headers(server)]
      : [...variables(server), server.command, ...server.args];
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [inspector, '--cli', ...target, '--format', 'json', '--stored-auth-only', '--protocol-era', era, ...args],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } },
  );
  return {
    code,
    result: stdout.trim() === '' ? null : (JSON.parse(stdout) as { result: Inspection['result'] }).result,
    complaints: stderr.trim(),
  };
}

const headers = ({ headers }: HttpServer) =>
  Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);

const variables = ({ env }: StdioServer) =>
  Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);

/** Arguments that make it call a tool. */
export const call = (tool: string, input: object) => [
  ...['--method', 'tools/call', '--tool-name', tool],
  ...['--tool-args-json', JSON.stringify(input)],
];
