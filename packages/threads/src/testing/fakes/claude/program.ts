import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { directivesIn } from './directives.ts';
import { answerOnce } from './one-shot.ts';
import { toolsClient } from './tools-client.ts';
import { type Outcome, playTurn, type TurnContext } from './turn.ts';

/**
 * A program that is to the bot what Claude Code is: it speaks stream-json, keeps sessions, asks for permission
 * through the tools' server, and does what the messages tell it to do. What it writes has the shape of what the
 * real one was recorded to write.
 *
 * Arguments: the folder where it keeps its sessions, then those of the CLI.
 */

const [stateDir = '', ...argv] = process.argv.slice(2);
if (argv.includes('--version')) {
  process.stdout.write('2.1.332 (Claude Code)\n');
  process.exit(0);
}
if (argv.includes('-p')) {
  await answerOnce(argv);
  // What keeps it from ending is its own affair; nothing of a session is begun.
  await new Promise<never>(() => undefined);
}
const { values: flags } = parseArgs({
  args: argv,
  strict: false,
  options: {
    'input-format': { type: 'string' },
    'output-format': { type: 'string' },
    'session-id': { type: 'string' },
    resume: { type: 'string' },
    'mcp-config': { type: 'string' },
    'permission-prompt-tool': { type: 'string' },
    'permission-mode': { type: 'string' },
    'append-system-prompt': { type: 'string' },
    'append-system-prompt-file': { type: 'string' },
    settings: { type: 'string' },
  },
});
const flag = (name: string) => (typeof flags[name] === 'string' ? flags[name] : null);
/** What it is told in a file comes behind the arguments, so that what it was told is all in one place. */
function promptOfFile(): string[] {
  const file = flag('append-system-prompt-file');
  return file === null ? [] : [readFileSync(file, 'utf8')];
}

const sessionId = flag('resume') ?? flag('session-id') ?? randomUUID();
const historyFile = join(stateDir, `${sessionId}.json`);
mkdirSync(stateDir, { recursive: true });

function write(event: object): void {
  process.stdout.write(`${JSON.stringify({ session_id: sessionId, uuid: randomUUID(), ...event })}\n`);
}

if (flag('resume') !== null && !existsSync(historyFile)) {
  const error = `No conversation found with session ID: ${sessionId}`;
  write({ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: [error] });
  process.stderr.write(`${error}\n`);
  process.exit(1);
}
if (flag('session-id') !== null && existsSync(historyFile)) {
  process.stderr.write(`Error: Session ID ${sessionId} is already in use.\n`);
  process.exit(1);
}

interface Said {
  readonly uuid: string;
  readonly text: string;
}

const history: Said[] = existsSync(historyFile) ? JSON.parse(readFileSync(historyFile, 'utf8')) : [];
const tools = await toolsClient(flag('mcp-config'));
const messages: { readonly uuid: string; readonly content: unknown; readonly text: string }[] = [];
let running: AbortController | null = null;
let isInputClosed = false;
let isHanging = false;
let cost = 0;

const context: TurnContext = {
  write,
  tools,
  asks: flag('permission-prompt-tool') !== null,
  describe: (what) => {
    if (what === 'args') return [...argv, ...promptOfFile()];
    return what === 'env' ? Object.keys(process.env).sort() : history.map(({ text }) => text);
  },
  hang() {
    isHanging = true;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal);
      process.on(signal, () => undefined);
    }
    // Keeps it alive when its input is closed.
    setInterval(() => undefined, 1_000_000);
    return new Promise(() => undefined);
  },
};

function writeInit(): void {
  write({
    type: 'system',
    subtype: 'init',
    cwd: process.cwd(),
    tools: [
      'Bash',
      'Edit',
      'Read',
      'Write',
      ...tools.tools.map((name) => `mcp__claude-threads-mcp__${name}`),
    ],
    mcp_servers: [{ name: 'claude-threads-mcp', status: tools.status }],
    model: 'scripted',
    permissionMode: permissionMode(),
    slash_commands: ['compact', 'context', 'cost'],
  });
}

function permissionMode(): string {
  if (flags['dangerously-skip-permissions'] === true) return 'bypassPermissions';
  return flag('permission-mode') ?? 'default';
}

function writeResult(outcome: Outcome): void {
  cost += 0.01;
  const common = {
    type: 'result',
    num_turns: 1,
    duration_ms: 10,
    total_cost_usd: cost,
    model_usage_since_last_result: { scripted: { costUSD: 0.01 } },
    usage: { input_tokens: 100, output_tokens: 20 },
    permission_denials: [],
  };
  if (outcome.kind === 'done') {
    write({
      ...common,
      subtype: 'success',
      is_error: false,
      terminal_reason: 'completed',
      result: outcome.text,
    });
  } else if (outcome.kind === 'failed') {
    write({ ...common, subtype: 'error_during_execution', is_error: true, errors: [outcome.text] });
  } else {
    const reason = outcome.inTool ? 'aborted_tools' : 'aborted_streaming';
    const note = `[Request interrupted by user${outcome.inTool ? ' for tool use' : ''}]`;
    write({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: note }] } });
    write({
      ...common,
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: reason,
      errors: [],
    });
  }
}

async function work(): Promise<void> {
  for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
    const { uuid, content, text } = message;
    if (history.some((said) => said.uuid === uuid)) {
      write({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed' });
      write({ type: 'user', uuid, isReplay: true, message: { role: 'user', content } });
      continue;
    }
    running = new AbortController();
    write({ type: 'command_lifecycle', command_uuid: uuid, state: 'started' });
    writeInit();
    history.push({ uuid, text });
    writeFileSync(historyFile, JSON.stringify(history));
    if (argv.includes('--replay-user-messages')) {
      write({ type: 'user', uuid, isReplay: true, message: { role: 'user', content } });
    }
    const outcome = await playTurn(text, directivesIn(text), context, running.signal);
    running = null;
    writeResult(outcome);
    write({ type: 'command_lifecycle', command_uuid: uuid, state: 'completed' });
  }
}

let working: Promise<void> | null = null;
function wake(): void {
  working ??= work().finally(() => {
    working = null;
    if (messages.length > 0) wake();
    else if (isInputClosed) leave(0);
  });
}

function leave(code: number): void {
  tools.close();
  // All of its output goes out first.
  process.stdout.write('', () => process.exit(code));
}

interface InputLine {
  readonly type: string;
  readonly uuid?: string;
  readonly message?: { readonly content: string | readonly { readonly text?: string }[] };
  readonly request_id?: string;
  readonly request?: { readonly subtype: string };
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (isHanging) return;
    const input = JSON.parse(line) as InputLine;
    if (input.type === 'control_request') {
      const answer = { request_id: input.request_id, subtype: 'success', response: { still_queued: [] } };
      write({ type: 'control_response', response: answer });
      if (input.request?.subtype === 'interrupt') running?.abort();
    } else if (input.type === 'user') {
      const content = input.message?.content ?? '';
      const text =
        typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('\n');
      messages.push({ uuid: input.uuid ?? randomUUID(), content, text });
      wake();
    }
  })
  .on('close', () => {
    isInputClosed = true;
    if (working === null) leave(0);
  });
process.on('SIGTERM', () => process.exit(143));
process.on('SIGINT', () => {
  isInputClosed = true;
  messages.length = 0;
  running?.abort();
  if (working === null) leave(0);
});
