import { readFile } from 'node:fs/promises';
import { systemClock } from '@postern/kit';
import * as z from 'zod';
import { runClaude } from '../../agent-runner/claude-run.ts';
import { runAgent, type UnreadMessage } from '../../agent-runner/runner.ts';
import { localUrl } from '../../hub/address.ts';
import { inboxCommand } from '../../hub/launcher.ts';
import { readServerUrl } from '../../hub/run-files.ts';
import { secretFile } from '../../secrets/generated.ts';
import { DONE, type Invocation, UsageError } from '../command.ts';

const unreadSchema = z.object({
  messages: z.array(z.object({ id: z.string(), channel_id: z.string() })),
  next_since: z.string().nullable(),
});

const AGENT_ID = /^[A-Za-z0-9._-]{1,64}$/;
const WAIT_SECONDS = 25;
/** Longer than the hub holds the answer. */
const ASK_MS = 40_000;
const DEFAULT_MINUTES = 5;
const PAGE = 100;
/** So far it is looked past messages that were given up. */
const MOST_PAGES = 10;

/** `postern agent run`: an agent program that is started for each message, until a signal ends it. */
export async function agentRun(invocation: Invocation): Promise<number> {
  const config = await invocation.hubConfig();
  const agentId = invocation.option('agent') ?? 'assistant';
  if (!AGENT_ID.test(agentId)) {
    throw new UsageError('--agent: 1 to 64 letters, digits, dots, underscores or hyphens are accepted');
  }
  const minutes = Number(invocation.option('minutes') ?? DEFAULT_MINUTES);
  if (!(minutes > 0 && minutes <= 60))
    throw new UsageError('--minutes: a number above 0 and up to 60 is accepted');
  const instructionsFile = invocation.option('instructions');
  const instructions = instructionsFile === undefined ? '' : await readFile(instructionsFile, 'utf8');
  const url = readServerUrl(config.dataDir) ?? localUrl(config.host, config.port);
  const bearerFile = secretFile(config.dataDir, 'bearerToken');
  const bearer = config.bearerToken?.reveal() ?? (await readFile(bearerFile, 'utf8')).trim();

  const [command, ...args] = inboxCommand;
  const options = {
    command: config.claudePath,
    inbox: {
      command,
      args,
      env: {
        AMC_BASE_URL: url,
        AMC_AGENT_ID: agentId,
        ...(config.bearerToken === null
          ? { AMC_BEARER_TOKEN_FILE: bearerFile }
          : { AMC_BEARER_TOKEN: bearer }),
        ANTHROPIC_API_KEY: '',
      },
    },
    environment: invocation.environment,
    deadlineMs: minutes * 60_000,
    instructions,
  };
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  invocation.say(`Agent ${agentId} waits for messages at ${url}; Ctrl-C ends it.`);
  try {
    await runAgent(
      {
        clock: systemClock,
        unread: (signal) => unreadAt(url, { bearer, agentId, signal }),
        run: (channelId, ids, signal) => runClaude(options, channelId, ids, signal),
        tell: (line) => invocation.warn(line),
      },
      stopping.signal,
    );
  } finally {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
  return DONE;
}

async function unreadAt(
  url: string,
  {
    bearer,
    agentId,
    signal,
  }: { readonly bearer: string; readonly agentId: string; readonly signal: AbortSignal },
): Promise<UnreadMessage[]> {
  const found: UnreadMessage[] = [];
  let since: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (since === null) query.set('wait', String(WAIT_SECONDS));
    else query.set('since', since);
    const answer = await fetch(`${url}/messages/unread?${query}`, {
      headers: { authorization: `Bearer ${bearer}`, 'x-agent-id': agentId },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { messages, next_since } = unreadSchema.parse(await answer.json());
    found.push(...messages.map(({ id, channel_id }) => ({ id, channelId: channel_id })));
    if (messages.length < PAGE || next_since === null) break;
    since = next_since;
  }
  return found;
}
