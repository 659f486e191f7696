import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';

/** The `threads:` section, parsed and with defaults filled in; names are the contract's. */
export interface ThreadsConfig {
  /** Absolute. */
  readonly workingDir: string;
  /** Absolute; `!cd` may also go below these. */
  readonly allowedDirs: readonly string[];
  readonly worktreeMode: 'off' | 'prompt' | 'require';
  readonly respondOnlyWhenMentioned: boolean;
  readonly userAttribution: boolean;
  readonly limits: ThreadsLimits;
  readonly claudeAccounts: readonly ClaudeAccount[];
  readonly platforms: readonly PlatformConfig[];
  /** How long a plan or question waits for a person, in milliseconds. */
  readonly decisionTimeoutMs: number;
}

export interface ThreadsLimits {
  readonly maxSessions: number;
  readonly sessionTimeoutMinutes: number;
  readonly sessionWarningMinutes: number;
  readonly permissionTimeoutSeconds: number;
  readonly flushDelayMs: number;
  readonly maxRoutines: number;
  readonly maxWatches: number;
}

export interface ClaudeAccount {
  readonly id: string;
  readonly home?: string | undefined;
  readonly apiKeyFile?: string | undefined;
}

export interface PlatformBehaviour {
  readonly id: string;
  readonly botName: string;
  /** Ids of people; names are resolved once, when the platform connects. Empty: nobody. */
  readonly allowedUsers: readonly string[];
  readonly permissionMode: 'default' | 'auto' | 'bypass';
  /** Null: `all_users` in threads, `owner` in direct channel mode. */
  readonly approvals: 'owner' | 'all_users' | null;
  readonly outboundFiles: { readonly enabled: boolean; readonly maxBytes: number };
  readonly memory: boolean;
  readonly routines: boolean;
  readonly watches: boolean;
  readonly directChannelMode: { readonly enabled: boolean; readonly respondTo: 'all_messages' | 'mention' };
  readonly directMessages: boolean;
  readonly sessionHeader: 'full' | 'minimal' | 'hidden';
  readonly stickyMessage: 'full' | 'minimal' | 'hidden';
  /** Emoji put on each accepted message; null is none. */
  readonly ackReaction: string | null;
  readonly auditLog: boolean;
  /** Ids of other bots whose posts may start or feed a session. */
  readonly allowedBots: readonly string[];
}

export type PlatformConfig = PlatformBehaviour &
  (
    | { readonly type: 'local'; readonly channelId: string }
    | {
        readonly type: 'mattermost';
        readonly url: string;
        readonly token: string;
        readonly channelId: string;
      }
    | {
        readonly type: 'slack';
        readonly botToken: string;
        readonly appToken: string;
        readonly channelId: string;
        readonly apiUrl?: string | undefined;
      }
  );

export const defaultLimits: ThreadsLimits = {
  maxSessions: 5,
  sessionTimeoutMinutes: 30,
  sessionWarningMinutes: 5,
  permissionTimeoutSeconds: 120,
  flushDelayMs: 500,
  maxRoutines: 10,
  maxWatches: 10,
};

export const DEFAULT_DECISION_TIMEOUT_MS = 3_600_000;

const MAX_OUTBOUND_BYTES = 104_857_600;

const folder = z
  .string()
  .min(1)
  .max(4_096)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is refused.
  .regex(/^[^\u0000]*$/)
  .describe('a path');

const people = z.array(z.string().trim().min(1).max(100)).max(1_000).default([]);

const shown = z.enum(['full', 'minimal', 'hidden']);

/** `off`, or an emoji's name; YAML readers differ on whether a bare `off` is a text. */
const ackReaction = z
  .union([
    z.literal(false).transform(() => null),
    z
      .string()
      .regex(/^:?[a-z0-9_+-]{1,64}:?$/)
      .transform((name) => (name === 'off' ? null : name.replaceAll(':', ''))),
  ])
  .describe('off, or the name of an emoji such as eyes')
  .default(null);

const respondTo = z.enum(['all_messages', 'mention']);

/**
 * One word says it all: `off`, `all_messages` or `mention`. The long form `{enabled, respondTo}` is taken too.
 */
const directChannelMode = z
  .union([
    z.literal([false, 'off']).transform(() => ({ enabled: false, respondTo: 'all_messages' as const })),
    respondTo.transform((word) => ({ enabled: true, respondTo: word })),
    z.strictObject({ enabled: z.boolean().default(true), respondTo: respondTo.default('all_messages') }),
  ])
  .describe('off, all_messages or mention')
  .default({ enabled: false, respondTo: 'all_messages' });

const behaviour = {
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/)
    .describe('a short name of lower-case letters, digits, - and _; it names the audit file too'),
  botName: z.string().trim().min(1).max(64).default('postern'),
  allowedUsers: people,
  permissionMode: z.enum(['default', 'auto', 'bypass']).default('default'),
  approvals: z.enum(['owner', 'all_users']).nullable().default(null),
  outboundFiles: z
    .strictObject({
      enabled: z.boolean().default(true),
      maxBytes: z.int().min(1).max(1_073_741_824).default(MAX_OUTBOUND_BYTES),
    })
    .prefault({}),
  memory: z.boolean().default(true),
  routines: z.boolean().default(false),
  watches: z.boolean().default(false),
  directChannelMode,
  directMessages: z.boolean().default(false),
  sessionHeader: shown.default('full'),
  stickyMessage: shown.default('hidden'),
  ackReaction,
  auditLog: z.boolean().default(true),
  allowedBots: people,
};

const secret = z.string().min(1).max(1_024);
const channelId = z.string().trim().min(1).max(100);

const platform = z.discriminatedUnion('type', [
  z.strictObject({
    ...behaviour,
    type: z.literal('local'),
    channelId: z
      .string()
      .regex(/^local:[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
      .describe('local: and the name of a channel'),
  }),
  z.strictObject({
    ...behaviour,
    type: z.literal('mattermost'),
    url: z.url({ protocol: /^https?$/ }).describe('the http:// or https:// address of the server'),
    token: secret.describe('the token of the bot account'),
    channelId,
  }),
  z.strictObject({
    ...behaviour,
    type: z.literal('slack'),
    botToken: secret.describe('the bot token, xoxb-…'),
    appToken: secret.describe('the app-level token, xapp-…'),
    channelId,
    apiUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('another address of the Web API'),
  }),
]);

const account = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/),
    home: folder.optional(),
    apiKeyFile: folder.optional(),
  })
  .refine(({ home, apiKeyFile }) => (home === undefined) !== (apiKeyFile === undefined), {
    error: 'must be an id with either home or apiKeyFile',
  });

function hasDistinctIds(items: readonly { readonly id: string }[]): boolean {
  return new Set(items.map(({ id }) => id)).size === items.length;
}

function hasOneDirectLocal(
  platforms: readonly { readonly type: string; readonly directMessages: boolean }[],
): boolean {
  return platforms.filter(({ type, directMessages }) => type === 'local' && directMessages).length <= 1;
}

const minutes = z.number().positive().max(10_080);

/** The `threads:` section of postern.yaml. Without it the service is off. */
export const threadsConfigSchema = z.strictObject({
  /** Where sessions work; relative to the file. */
  workingDir: folder,
  allowedDirs: z.array(folder).max(100).default([]),
  worktreeMode: z.enum(['off', 'prompt', 'require']).default('off'),
  respondOnlyWhenMentioned: z.boolean().default(false),
  userAttribution: z.boolean().default(true),
  limits: z
    .strictObject({
      maxSessions: z.int().min(1).max(1_000).default(defaultLimits.maxSessions),
      sessionTimeoutMinutes: minutes.default(defaultLimits.sessionTimeoutMinutes),
      sessionWarningMinutes: z.number().min(0).max(10_080).default(defaultLimits.sessionWarningMinutes),
      permissionTimeoutSeconds: z.number().min(1).max(86_400).default(defaultLimits.permissionTimeoutSeconds),
      flushDelayMs: z.int().min(0).max(60_000).default(defaultLimits.flushDelayMs),
      maxRoutines: z.int().min(0).max(1_000).default(defaultLimits.maxRoutines),
      maxWatches: z.int().min(0).max(1_000).default(defaultLimits.maxWatches),
    })
    .prefault({}),
  claudeAccounts: z
    .array(account)
    .max(20)
    .refine(hasDistinctIds, { error: 'must be accounts with ids of their own' })
    .default([]),
  platforms: z
    .array(platform)
    .min(1, {
      error:
        'must be a list of one platform or more, each with id, type and channelId (without the threads section the service is off)',
    })
    .max(20)
    .refine(hasDistinctIds, { error: 'must be platforms with ids of their own' })
    .refine(hasOneDirectLocal, {
      error:
        'must be platforms of which one local at most takes directMessages, since people have one conversation there',
    }),
});

/** What stands in the file, with defaults. */
export type ThreadsSettings = Readonly<z.output<typeof threadsConfigSchema>>;

/** What the file does not say itself. */
export interface ThreadsSurroundings {
  /** Absolute folder that relative paths start from. */
  readonly base: string;
  /** What a leading `~` stands for. */
  readonly home: string;
  readonly decisionTimeoutMs?: number;
}

/** Settings with all paths absolute. */
export function toThreadsConfig(
  settings: ThreadsSettings,
  { base, home, decisionTimeoutMs = DEFAULT_DECISION_TIMEOUT_MS }: ThreadsSurroundings,
): ThreadsConfig {
  const absolute = (path: string): string => {
    const full = path.replace(/^~(?=$|[/\\])/, () => home);
    return isAbsolute(full) ? resolve(full) : resolve(base, full);
  };
  return {
    ...settings,
    workingDir: absolute(settings.workingDir),
    allowedDirs: settings.allowedDirs.map(absolute),
    claudeAccounts: settings.claudeAccounts.map(({ id, home: own, apiKeyFile }) => ({
      id,
      ...(own === undefined ? {} : { home: absolute(own) }),
      ...(apiKeyFile === undefined ? {} : { apiKeyFile: absolute(apiKeyFile) }),
    })),
    decisionTimeoutMs,
  };
}
