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
  readonly home?: string;
  readonly apiKeyFile?: string;
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
        readonly apiUrl?: string;
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
