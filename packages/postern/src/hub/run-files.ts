import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What a running server leaves in the data folder for others: `postern.pid` for service managers (on SQLite
 * the lock writes it), and `postern.url`, where the operator's commands reach it.
 */

const URL_FILE = 'postern.url';
const PID_FILE = 'postern.pid';

export function writeServerUrl(dataDir: string, url: string): void {
  replaceFile(join(dataDir, URL_FILE), url);
}

export function writePid(dataDir: string): void {
  replaceFile(join(dataDir, PID_FILE), String(process.pid));
}

/** Takes away whatever address stands there. */
export function forgetServerUrl(dataDir: string): void {
  rmSync(join(dataDir, URL_FILE), { force: true });
}

/** Both take away only what is still this process's. */
export function removePid(dataDir: string): void {
  removeIf(join(dataDir, PID_FILE), String(process.pid));
}

export function removeServerUrl(dataDir: string, url: string): void {
  removeIf(join(dataDir, URL_FILE), url);
}

/** Where the server of this data folder listens, or null. May be stale after a kill. */
export function readServerUrl(dataDir: string): string | null {
  const text = readText(join(dataDir, URL_FILE));
  return text !== null && URL.canParse(text) ? text : null;
}

function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function removeIf(path: string, text: string): void {
  if (readText(path) === text) rmSync(path, { force: true });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
