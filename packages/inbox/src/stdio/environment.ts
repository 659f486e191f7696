import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HubAddress } from './hub-client.ts';

/** Where a hub on the same machine keeps the bearer it generated, under its data folder. */
const GENERATED_BEARER = join('secrets', 'amc-bearer-token');
const DEFAULT_BASE_URL = 'http://127.0.0.1:8080';

/** A fault in the environment, as one sentence for whoever set it. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/**
 * Reads AMC_BASE_URL, AMC_BEARER_TOKEN or AMC_BEARER_TOKEN_FILE, and AMC_AGENT_ID. Without a token the one a
 * hub on this machine generated is taken, from POSTERN_DATA_DIR, `./data` or the installation's `data`.
 *
 * @throws EnvironmentError when a value cannot be used. A missing token or agent id is for the hub to refuse.
 */
export function hubAddress(environment: NodeJS.ProcessEnv, installation: string): HubAddress {
  const base = environment.AMC_BASE_URL || DEFAULT_BASE_URL;
  const baseUrl = URL.canParse(base) ? new URL(base) : null;
  if (baseUrl === null || !/^https?:$/.test(baseUrl.protocol)) {
    throw new EnvironmentError(`AMC_BASE_URL: "${base}" is not an http or https address`);
  }
  const agentId = environment.AMC_AGENT_ID || null;
  if (agentId !== null && !isHeaderValue(agentId)) {
    throw new EnvironmentError(
      'AMC_AGENT_ID: 1 to 64 letters, digits, dots, underscores or hyphens are accepted',
    );
  }
  return { baseUrl, bearer: bearer(environment, installation), agentId };
}

function bearer(environment: NodeJS.ProcessEnv, installation: string): string | null {
  const given = environment.AMC_BEARER_TOKEN?.trim();
  if (given) {
    if (!isHeaderValue(given))
      throw new EnvironmentError('AMC_BEARER_TOKEN: only visible ASCII characters are accepted');
    return given;
  }
  const file = environment.AMC_BEARER_TOKEN_FILE;
  if (file) {
    const text = readText(file);
    if (text === null) throw new EnvironmentError(`AMC_BEARER_TOKEN_FILE: ${file} cannot be read`);
    return text;
  }
  const folders = environment.POSTERN_DATA_DIR
    ? [environment.POSTERN_DATA_DIR]
    : ['data', join(installation, 'data')];
  for (const folder of folders) {
    const text = readText(join(folder, GENERATED_BEARER));
    if (text !== null) return text;
  }
  return null;
}

function readText(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return isHeaderValue(text) ? text : null;
  } catch {
    return null;
  }
}

function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
