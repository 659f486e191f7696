import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@postern/kit';
import type { Config } from '../config/load.ts';
import { Refusal, secretsFolder } from './data-folder.ts';
import { Secret } from './secret.ts';
import { STRONG_SECRET, weaknessOf } from './strength.ts';

/** The two secrets every installation has; each is given by the operator, or generated once and kept. */
export interface Secrets {
  readonly adminKey: Secret;
  readonly bearerToken: Secret;
}

interface Kind {
  readonly file: string;
  /** Tells a leaked secret's finder what it opens. */
  readonly prefix: string;
}

const KINDS = {
  adminKey: { file: 'admin-key', prefix: 'pst_admin_' },
  bearerToken: { file: 'amc-bearer-token', prefix: 'pst_inbox_' },
} as const satisfies Record<keyof Secrets, Kind>;

const RANDOM_BYTES = 32;

export function secretFile(dataDir: string, name: keyof Secrets): string {
  return join(secretsFolder(dataDir), KINDS[name].file);
}

/**
 * The secrets of the configuration, or those of the data folder, generated where there is none.
 *
 * @throws Refusal when a kept secret is weak or can't be read.
 */
export function obtainSecrets(config: Config, random: Random): Secrets {
  return {
    adminKey: config.adminKey ?? keptSecret(config.dataDir, 'adminKey', random),
    bearerToken: config.bearerToken ?? keptSecret(config.dataDir, 'bearerToken', random),
  };
}

/** The kept secret, or null when none was generated yet. @throws Refusal when it is weak or unreadable. */
export function readSecret(dataDir: string, name: keyof Secrets): Secret | null {
  const path = secretFile(dataDir, name);
  let text = '';
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new Refusal(`${path} cannot be read (${code}); it holds a secret of this installation`);
  }
  const weakness = weaknessOf(text);
  if (weakness !== null) {
    throw new Refusal(
      `${path}: found ${weakness}; accepted: ${STRONG_SECRET}; delete the file to have one generated`,
    );
  }
  return new Secret(text);
}

function keptSecret(dataDir: string, name: keyof Secrets, random: Random): Secret {
  const kept = readSecret(dataDir, name);
  if (kept !== null) return kept;
  const text = `${KINDS[name].prefix}${Buffer.from(random.bytes(RANDOM_BYTES)).toString('base64url')}`;
  return keep(secretFile(dataDir, name), text) ? new Secret(text) : keptSecret(dataDir, name, random);
}

/** Writes the file whole and for good, or answers false when another process was faster. */
function keep(path: string, text: string): boolean {
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeSync(handle, `${text}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // Some file systems know no links; there, two first starts at the same time are not told apart.
    renameSync(draft, path);
    return true;
  } finally {
    rmSync(draft, { force: true });
  }
}
