import { version } from '../version.ts';
import { type Command, DONE, type Flag, UsageError } from './command.ts';
import { manual, overview } from './help.ts';

/**
 * All commands, in the order `postern help` lists them. Their code is loaded when they run, so that one does
 * not wait for what only another needs.
 */

const json: Flag = { meaning: 'Prints JSON' };
const source = { name: 'SOURCE', meaning: 'the platform: local, discord or imessage' };
const sender = { name: 'SENDER_ID', meaning: "the platform's own id of the person, never a name" };
const project: Flag = {
  value: 'PROJECT',
  meaning: 'Of this project in the campaigns, by its id or slug (default: admin keys)',
};
const release: Flag = { meaning: 'Also releases what the person has in quarantine' };

export const commands: readonly Command[] = [
  {
    words: ['serve'],
    summary: 'Runs every configured service in this process until SIGTERM or SIGINT',
    flags: {
      host: { value: 'HOST', meaning: 'Address to listen on (POSTERN_HOST)' },
      port: { value: 'PORT', meaning: 'Port to listen on, 0 for a free one (POSTERN_PORT)' },
      'public-url': { value: 'URL', meaning: 'Base of addresses that others follow (POSTERN_PUBLIC_URL)' },
      'log-level': { value: 'LEVEL', meaning: 'Least level that is logged (POSTERN_LOG_LEVEL)' },
    },
    run: async (invocation) => (await import('./commands/serve.ts')).serve(invocation),
  },
  {
    words: ['mcp', 'inbox'],
    summary: 'Serves the inbox tools over MCP on stdin and stdout',
    details:
      'Reads AMC_BASE_URL, AMC_AGENT_ID and AMC_BEARER_TOKEN or AMC_BEARER_TOKEN_FILE; on the machine of the server it finds the generated token in the data folder.',
    run: async (invocation) => (await import('./commands/mcp-inbox.ts')).mcpInbox(invocation),
  },
  {
    words: ['mcp', 'threads'],
    summary: 'Serves the tools of an agent session over MCP on stdin and stdout',
    details:
      'The bot starts it for each session. By hand it stands alone on Mattermost or Slack and reads PLATFORM_TYPE, PLATFORM_URL, PLATFORM_TOKEN, PLATFORM_APP_TOKEN (Slack), PLATFORM_CHANNEL_ID, PLATFORM_THREAD_ID, ALLOWED_USERS, SESSION_OWNER, SESSION_WORKING_DIR, PERMISSION_TIMEOUT_MS, DECISION_BRIDGE_TIMEOUT_MS, OUTBOUND_FILES_ENABLED and OUTBOUND_FILES_MAX_BYTES.',
    run: async (invocation) => (await import('./commands/mcp-threads.ts')).mcpThreads(invocation),
  },
  {
    words: ['init'],
    summary: 'Asks for a chat platform of agent sessions, checks it with the server, and writes postern.yaml',
    details:
      'What is given by a flag is not asked; with --yes nothing is. Tokens come from the terminal, or from MATTERMOST_TOKEN, SLACK_BOT_TOKEN and SLACK_APP_TOKEN (each also as NAME_FILE, the path of a file that holds it), never from a flag; the file refers to the variable then. An existing file keeps its comments, its order and its other sections.',
    flags: {
      platform: { value: 'KIND', meaning: 'local, mattermost or slack' },
      channel: { value: 'CHANNEL', meaning: 'Name or id of the channel, or a link to it (local: agents)' },
      allow: { value: 'PEOPLE', meaning: 'Who may start sessions: names or ids with commas, or nobody' },
      'working-dir': { value: 'DIR', meaning: 'Folder that agents work in; made where there is none' },
      'permission-mode': { value: 'MODE', meaning: 'default, auto or bypass (default: default)' },
      url: { value: 'URL', meaning: 'Address of the Mattermost server' },
      'bot-name': { value: 'NAME', meaning: 'Name of the bot in the local chat (default: postern)' },
      'api-url': { value: 'URL', meaning: "Another address of Slack's Web API" },
      id: { value: 'ID', meaning: 'Short name of the platform (default: its kind)' },
      replace: { meaning: 'Changes the platform of that id when there is one' },
      yes: { meaning: 'Asks nothing; what is missing is an error' },
    },
    run: async (invocation) => (await import('./commands/init.ts')).init(invocation),
  },
  {
    words: ['login'],
    summary: 'Makes a link that opens the console once, within 15 minutes',
    flags: { json },
    run: async (invocation) => (await import('./commands/login.ts')).login(invocation),
  },
  {
    words: ['doctor'],
    summary: 'Checks configuration, data folder, database, port and more, and says how to mend what is wrong',
    flags: { json },
    run: async (invocation) => (await import('./commands/doctor.ts')).doctor(invocation),
  },
  {
    words: ['allowlist', 'list'],
    aliases: [['allowlist'], ['allow', 'list'], ['allow']],
    summary: 'Lists the people whose messages reach agents',
    flags: { json },
    run: async (invocation) => (await import('./commands/allowlist.ts')).listAllowlist(invocation),
  },
  {
    words: ['allowlist', 'add'],
    aliases: [['allow', 'add']],
    arguments: [source, sender],
    summary: 'Lets a person in, or changes their entry',
    flags: {
      name: { value: 'NAME', meaning: "Shown in place of the platform's name" },
      person: { value: 'PERSON_ID', meaning: 'Joins ids of one person on several platforms' },
      release,
    },
    run: async (invocation) => (await import('./commands/allowlist.ts')).addToAllowlist(invocation),
  },
  {
    words: ['allowlist', 'remove'],
    aliases: [['allow', 'remove']],
    arguments: [source, sender],
    summary: 'Takes a person off; their next messages go to quarantine',
    run: async (invocation) => (await import('./commands/allowlist.ts')).removeFromAllowlist(invocation),
  },
  {
    words: ['allowlist', 'import'],
    aliases: [['allow', 'import']],
    arguments: [{ name: 'FILE', meaning: 'a TOML or YAML file of entries' }],
    summary: 'Adds or changes all entries of a file',
    details:
      'The file has a list called entries (TOML: [[entries]]), each with source and sender_id, and display_name and person_id if wanted. It is checked whole before anything is changed; people who are not in it stay as they are.',
    flags: { release },
    run: async (invocation) => (await import('./commands/allowlist.ts')).importAllowlist(invocation),
  },
  {
    words: ['pairing', 'list'],
    aliases: [['pairing']],
    summary: 'Lists strangers who hold a pairing code',
    flags: { json },
    run: async (invocation) => (await import('./commands/pairing.ts')).listPairings(invocation),
  },
  {
    words: ['pairing', 'approve'],
    arguments: [{ name: 'CODE', meaning: 'the code the person was given' }],
    summary: 'Puts the holder of a pairing code on the allowlist',
    run: async (invocation) => (await import('./commands/pairing.ts')).approvePairing(invocation),
  },
  {
    words: ['agents', 'list'],
    aliases: [['agents']],
    summary: 'Lists agents, and how much each has read',
    flags: { json },
    run: async (invocation) => (await import('./commands/agents.ts')).listAgents(invocation),
  },
  {
    words: ['agents', 'tokens', 'list'],
    aliases: [['agents', 'tokens']],
    summary: 'Lists the tokens of single agents',
    flags: { json },
    run: async (invocation) => (await import('./commands/agents.ts')).listTokens(invocation),
  },
  {
    words: ['agents', 'tokens', 'create'],
    arguments: [{ name: 'AGENT_ID', meaning: '1 to 64 letters, digits, dots, underscores or hyphens' }],
    summary: 'Makes a token that is bound to one agent, and shows it this once',
    flags: {
      scopes: { value: 'SCOPES', meaning: 'read, send or read,send (default: read,send)' },
      name: { value: 'NAME', meaning: 'What it is for' },
      json,
    },
    run: async (invocation) => (await import('./commands/agents.ts')).createToken(invocation),
  },
  {
    words: ['agents', 'tokens', 'revoke'],
    arguments: [{ name: 'TOKEN_ID', meaning: 'the id that agents tokens list shows' }],
    summary: 'Ends a token at once',
    run: async (invocation) => (await import('./commands/agents.ts')).revokeToken(invocation),
  },
  {
    words: ['webhooks', 'list'],
    aliases: [['webhooks']],
    summary:
      'Lists deliveries of messages to the addresses in postern.yaml, those that were given up unless told otherwise',
    flags: { state: { value: 'STATE', meaning: 'dead, pending or done (default: dead)' }, json },
    run: async (invocation) => (await import('./commands/webhooks.ts')).listWebhooks(invocation),
  },
  {
    words: ['webhooks', 'replay'],
    arguments: [
      { name: 'DELIVERY_ID', meaning: 'the id that webhooks list shows, or all for all that were given up' },
    ],
    summary: 'Sends a delivery again',
    run: async (invocation) => (await import('./commands/webhooks.ts')).replayWebhook(invocation),
  },
  {
    words: ['agent', 'run'],
    summary: 'Starts the agent CLI for each new message, one at a time in a channel, until a signal ends it',
    details:
      'The CLI gets the four inbox tools and nothing else. A message it leaves unread is tried three times. Off unless you run it; the server has to run.',
    flags: {
      agent: { value: 'AGENT_ID', meaning: 'As which agent (default: assistant)' },
      instructions: { value: 'FILE', meaning: 'What it is to do, added to its system prompt' },
      minutes: { value: 'MINUTES', meaning: 'How long one run may take (default: 5)' },
    },
    run: async (invocation) => (await import('./commands/agent-run.ts')).agentRun(invocation),
  },
  {
    words: ['service', 'install'],
    summary: 'Writes a systemd unit (Linux) or a launchd agent (macOS) that runs postern serve',
    flags: { print: { meaning: 'Prints it instead' } },
    run: async (invocation) => (await import('./commands/service.ts')).installService(invocation),
  },
  {
    words: ['service', 'remove'],
    summary: 'Takes the unit away again',
    run: async (invocation) => (await import('./commands/service.ts')).removeService(invocation),
  },
  {
    words: ['keys', 'list'],
    aliases: [['keys']],
    summary: 'Lists admin keys, or the keys of one project',
    flags: { project, json },
    run: async (invocation) => (await import('./commands/keys.ts')).listKeys(invocation),
  },
  {
    words: ['keys', 'create'],
    arguments: [{ name: 'NAME', meaning: 'what the key is for' }],
    summary: 'Makes an admin key, or a key of one project, and shows its secret this once',
    details:
      'A scope is campaigns:launch, or :read or :write after projects, keys, lists, subscribers, segments, templates, campaigns, domains, suppressions, emails, webhooks or reports.',
    flags: {
      project,
      scopes: { value: 'SCOPES', meaning: 'What it may do, with --project: lists:read,campaigns:write,…' },
      expires: {
        value: 'TIME',
        meaning: 'When it stops to work, such as 2027-01-01T00:00:00Z (default: never)',
      },
      json,
    },
    run: async (invocation) => (await import('./commands/keys.ts')).createKey(invocation),
  },
  {
    words: ['keys', 'revoke'],
    arguments: [
      { name: 'KEY_ID', meaning: 'the id that keys list shows; bootstrap is the one of the configuration' },
    ],
    summary: 'Ends a key at once, for good',
    flags: { project },
    run: async (invocation) => (await import('./commands/keys.ts')).revokeKey(invocation),
  },
  {
    words: ['audit', 'verify'],
    aliases: [['audit']],
    summary: "Checks that no line of the threads' audit logs was changed, moved, put in or taken out",
    details:
      'Each line holds the hash of the one before. That the newest lines were cut off, no chain can tell: keep a copy elsewhere where that matters.',
    flags: { platform: { value: 'PLATFORM', meaning: 'Only the log of this platform' }, json },
    run: async (invocation) => (await import('./commands/audit.ts')).verifyAuditLog(invocation),
  },
  {
    words: ['backup'],
    arguments: [{ name: 'FILE', meaning: 'the archive to write' }],
    summary:
      'Writes database, attachments, secrets and audit logs into one archive, also while the server runs',
    details:
      'The archive is a gzipped tar file with mode 0600 and holds secrets in clear. On PostgreSQL it holds secrets and audit logs alone: everything else is in the database, which pg_dump saves.',
    flags: { force: { meaning: 'Replaces FILE when it exists' } },
    run: async (invocation) => (await import('./commands/backup.ts')).backup(invocation),
  },
  {
    words: ['restore'],
    arguments: [{ name: 'FILE', meaning: 'an archive that postern backup wrote' }],
    summary: 'Puts an archive into the data folder; the server must be stopped',
    details:
      'All checksums are verified before anything is changed. A data folder that holds something is refused without --force; with it, what was there is moved into a folder replaced-<time> inside the data folder.',
    flags: { force: { meaning: 'Replaces what the data folder holds' } },
    run: async (invocation) => (await import('./commands/restore.ts')).restore(invocation),
  },
  {
    words: ['config', 'check'],
    aliases: [['config']],
    summary: 'Checks flags, environment and postern.yaml, and lists every problem',
    flags: { json },
    run: async (invocation) => (await import('./commands/config-check.ts')).configCheck(invocation),
  },
  {
    words: ['help'],
    aliases: [['--help'], ['-h']],
    summary: 'Lists the commands, or tells more about one',
    run: async ({ say }) => {
      say(overview(commands, version));
      return DONE;
    },
  },
  {
    words: ['version'],
    aliases: [['--version'], ['-v']],
    summary: 'Prints the version',
    run: async ({ say }) => {
      say(version);
      return DONE;
    },
  },
];

/** The manual of the command that the words call. @throws UsageError when there is none. */
export function manualOf(words: readonly string[]): string {
  const pages = commands.filter((command) => words.every((word, index) => command.words[index] === word));
  if (pages.length === 0)
    throw new UsageError(`postern ${words.join(' ')} is no command; postern help lists them`);
  return pages.map(manual).join('\n\n');
}
