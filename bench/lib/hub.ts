import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Database } from './databases.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/postern.js', import.meta.url));
/** Signals that it may not stop by itself, such as a closing that hangs. */
const STOP_MS = 12_000;

export interface HubProcess {
  readonly url: string;
  readonly bearer: string;
  readonly adminKey: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface HubOptions extends Pick<Database, 'dataDir' | 'url'> {
  /** What postern.yaml says. */
  readonly settings?: object;
}

/** Starts `postern serve` on a free port. It ends with this process, however that ends. */
export async function startHub({ dataDir, url, settings }: HubOptions): Promise<HubProcess> {
  const file = join(dataDir, 'postern.yaml');
  // JSON is YAML too.
  if (settings) writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  // Nothing of the surroundings' settings, such as somebody's own postern.yaml.
  const kept = Object.entries(process.env).filter(([name]) => !/^(POSTERN|AMC)_/.test(name));
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
    cwd: dataDir,
    env: {
      ...Object.fromEntries(kept),
      POSTERN_DATA_DIR: dataDir,
      POSTERN_PORT: '0',
      POSTERN_LOG_LEVEL: 'error',
      ...(url === null ? {} : { POSTERN_DATABASE_URL: url }),
    },
    // The launcher ends when this channel closes.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    void gone.then(() => reject(new Error('postern serve ended before it was ready')));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const ready = /^Postern ready on (\S+)$/.exec(line);
      if (ready?.[1]) resolve(ready[1]);
    });
  });
  const secret = (file: string) => readFileSync(join(dataDir, 'secrets', file), 'utf8').trim();
  return {
    url: address,
    bearer: secret('amc-bearer-token'),
    adminKey: secret('admin-key'),
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await gone;
      clearTimeout(late);
    },
  };
}
