/**
 * The settings that are not only in the file: one row each, and the single source for parsing, the messages,
 * `postern help` and the reference page.
 */

export interface Setting {
  /** Dotted path in postern.yaml. */
  readonly key: string;
  readonly variable: string;
  /** Without the dashes; secrets have none, since argv is for everyone to read. */
  readonly flag?: string;
  /** A secret may also come as `<variable>_FILE`. */
  readonly secret?: boolean;
  readonly default: string;
  readonly meaning: string;
}

export const settings = [
  {
    key: 'dataDir',
    variable: 'POSTERN_DATA_DIR',
    flag: 'data-dir',
    default: './data',
    meaning: 'Folder of the database, attachments and secrets; made with mode 0700',
  },
  {
    key: 'host',
    variable: 'POSTERN_HOST',
    flag: 'host',
    default: '127.0.0.1',
    meaning: 'Address the HTTP listener binds',
  },
  {
    key: 'port',
    variable: 'POSTERN_PORT',
    flag: 'port',
    default: '8080',
    meaning: 'Port of the HTTP listener; 0 picks a free one',
  },
  {
    key: 'publicUrl',
    variable: 'POSTERN_PUBLIC_URL',
    flag: 'public-url',
    default: 'the listener',
    meaning: 'Base of the addresses that others follow',
  },
  {
    key: 'databaseUrl',
    variable: 'POSTERN_DATABASE_URL',
    secret: true,
    default: 'SQLite in the data folder',
    meaning: 'postgres://… puts all state on PostgreSQL',
  },
  {
    key: 'adminKey',
    variable: 'POSTERN_ADMIN_KEY',
    secret: true,
    default: 'generated',
    meaning: 'Bootstrap admin key',
  },
  {
    key: 'inbox.bearerToken',
    variable: 'AMC_BEARER_TOKEN',
    secret: true,
    default: 'generated',
    meaning: 'Bearer of the inbox REST API',
  },
  {
    key: 'smtpUrl',
    variable: 'POSTERN_SMTP_URL',
    secret: true,
    default: 'none: mail is captured',
    meaning: 'smtp://user:pass@host:port or smtps://…: campaigns leave through this relay',
  },
  {
    key: 'dnsServers',
    variable: 'POSTERN_DNS_SERVERS',
    default: "the system's",
    meaning: 'IP addresses of resolvers for domain checks, with a port or without, and commas between them',
  },
  {
    key: 'allowUnverifiedDomains',
    variable: 'POSTERN_ALLOW_UNVERIFIED_DOMAINS',
    default: 'off',
    meaning: 'Lets campaigns leave by SMTP from domains that have not passed their checks',
  },
  {
    key: 'claudePath',
    variable: 'CLAUDE_PATH',
    default: 'claude on PATH',
    meaning: 'The agent CLI',
  },
  {
    key: 'decisionBridgeTimeoutMs',
    variable: 'DECISION_BRIDGE_TIMEOUT_MS',
    default: '3600000',
    meaning: 'Milliseconds a plan or a question of an agent waits for a person',
  },
  {
    key: 'logLevel',
    variable: 'POSTERN_LOG_LEVEL',
    flag: 'log-level',
    default: 'info',
    meaning: 'Least level that is logged: trace, debug, info, warn, error, fatal or silent',
  },
] as const satisfies readonly Setting[];

/** Variables that other parts read, known so that they are not taken for a slip of the pen. */
export const otherVariables: readonly string[] = ['POSTERN_CONFIG', 'POSTERN_RERUN'];

/** Sections of services that this version does not have. */
export const laterSections: Readonly<Record<string, string>> = {};
