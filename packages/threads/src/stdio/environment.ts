import { isAbsolute } from 'node:path';
import { BRIDGE_FEATURES, BRIDGE_SOCKET, BRIDGE_TOKEN } from '../bridge/environment.ts';

/** How the server was started, from its environment. */
export type ServerMode =
  | {
      readonly kind: 'bridge';
      readonly socketPath: string;
      readonly token: string;
      readonly features: ReadonlySet<string>;
    }
  | { readonly kind: 'standalone'; readonly settings: StandaloneSettings }
  /** It serves all the same, and every call is told why it cannot be run. */
  | { readonly kind: 'unusable'; readonly reason: string };

export interface StandaloneSettings {
  readonly platform:
    | { readonly type: 'mattermost'; readonly url: string; readonly token: string }
    | {
        readonly type: 'slack';
        readonly botToken: string;
        readonly appToken: string;
        readonly apiUrl: string | null;
      };
  readonly channelId: string;
  /** Null makes the whole channel the session. */
  readonly threadId: string | null;
  /** Ids or names. */
  readonly allowedUsers: readonly string[];
  /** Id or name. */
  readonly owner: string | null;
  readonly workingDir: string;
  readonly uploadDir: string | null;
  readonly permissionTimeoutMs: number;
  readonly decisionTimeoutMs: number;
  readonly outboundFiles: { readonly enabled: boolean; readonly maxBytes: number };
}

const PERMISSION_MS = 120_000;
const DECISION_MS = 3_600_000;
const FILE_BYTES = 100 * 1_048_576;

type Environment = Readonly<Record<string, string | undefined>>;

class Unusable extends Error {}

export function serverMode(environment: Environment): ServerMode {
  const socketPath = environment[BRIDGE_SOCKET];
  const token = environment[BRIDGE_TOKEN];
  try {
    if (socketPath) {
      if (!token) throw new Unusable(`${BRIDGE_TOKEN} is missing beside ${BRIDGE_SOCKET}`);
      return { kind: 'bridge', socketPath, token, features: new Set(list(environment[BRIDGE_FEATURES])) };
    }
    return { kind: 'standalone', settings: standalone(environment) };
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    return { kind: 'unusable', reason: error.message };
  }
}

function standalone(environment: Environment): StandaloneSettings {
  const workingDir = environment.SESSION_WORKING_DIR || process.cwd();
  if (!isAbsolute(workingDir))
    throw new Unusable(`SESSION_WORKING_DIR: ${workingDir} is not an absolute path`);
  return {
    platform: platformOf(environment),
    channelId: needed(environment, 'PLATFORM_CHANNEL_ID'),
    threadId: environment.PLATFORM_THREAD_ID || null,
    allowedUsers: list(environment.ALLOWED_USERS),
    owner: environment.SESSION_OWNER?.trim() || null,
    workingDir,
    uploadDir: environment.SESSION_UPLOAD_DIR || null,
    permissionTimeoutMs: positive(environment, 'PERMISSION_TIMEOUT_MS', PERMISSION_MS),
    decisionTimeoutMs: positive(environment, 'DECISION_BRIDGE_TIMEOUT_MS', DECISION_MS),
    outboundFiles: {
      enabled: flag(environment, 'OUTBOUND_FILES_ENABLED'),
      maxBytes: positive(environment, 'OUTBOUND_FILES_MAX_BYTES', FILE_BYTES),
    },
  };
}

function platformOf(environment: Environment): StandaloneSettings['platform'] {
  const type = needed(environment, 'PLATFORM_TYPE');
  if (type === 'mattermost') {
    const url = needed(environment, 'PLATFORM_URL');
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new Unusable(`PLATFORM_URL: ${url} is not an http or https address`);
    }
    return { type, url, token: needed(environment, 'PLATFORM_TOKEN') };
  }
  if (type === 'slack') {
    const url = environment.PLATFORM_URL || null;
    // What is given for Slack itself names no API; only another place for it counts.
    const isSlackItself = url === null || /^https:\/\/([a-z0-9-]+\.)*slack\.com\/?$/i.test(url);
    return {
      type,
      botToken: needed(environment, 'PLATFORM_TOKEN'),
      appToken: needed(environment, 'PLATFORM_APP_TOKEN'),
      apiUrl: isSlackItself ? null : url,
    };
  }
  throw new Unusable(`PLATFORM_TYPE: "${type}" is neither mattermost nor slack`);
}

function needed(environment: Environment, name: string): string {
  const value = environment[name]?.trim();
  if (!value) throw new Unusable(`${name} is missing; without it and without a bridge no tool can run`);
  return value;
}

function positive(environment: Environment, name: string, fallback: number): number {
  const text = environment[name]?.trim();
  if (!text) return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new Unusable(`${name}: "${text}" is not a whole number above 0`);
  }
  return value;
}

/** On unless it is turned off. */
function flag(environment: Environment, name: string): boolean {
  const text = environment[name]?.trim().toLowerCase();
  if (!text || ['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  throw new Unusable(`${name}: "${text}" is neither true nor false`);
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
