import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface PrivatePostgres {
  /** `postgres://…` without a database's name, ending in a slash. */
  readonly base: string;
  close(): Promise<void>;
}

/**
 * Starts a PostgreSQL server of one's own on a free port in a temporary folder; it ends with this process.
 *
 * @param settings of the server, such as `{ fsync: 'on' }`; without them it is as quick as it can be, and
 *   loses what it holds with the machine's power.
 */
export async function privatePostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PrivatePostgres> {
  const program = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url));
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const keeper = spawn(process.execPath, [program, ...given], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  keeper.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-4_000);
  });
  const gone = new Promise<void>((resolve) => keeper.once('close', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    keeper.once('error', reject);
    createInterface({ input: keeper.stdout }).once('line', (line) => resolve(Number(line)));
    void gone.then(() => reject(new Error(`no PostgreSQL for the tests: ${complaint}`)));
  });
  return {
    base: `postgres://postgres@127.0.0.1:${port}/`,
    async close() {
      keeper.stdin.end();
      await gone;
    },
  };
}
