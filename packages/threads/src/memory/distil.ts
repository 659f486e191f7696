import { sanitizeName } from '@postern/kit';
import type { ThreadsConfig } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import { accountToAsk } from '../sessions/accounts.ts';
import { accountOf } from '../sessions/launch-facts.ts';
import { isOwnMessage } from '../sessions/messages.ts';
import { sessionById } from '../sessions/records.ts';
import type { MessageTable, SessionTable } from '../tables.ts';
import { type ChannelMemory, channelMemory } from './channel-memory.ts';
import { DISTILLER, distillerPrompt, factsIn, type Said } from './distiller-prompt.ts';
import type { MemoryEntry } from './entry.ts';

/** A shorter session has hardly settled anything. */
const FEWEST_MESSAGES = 4;
const MOST_MESSAGES = 30;
const LONGEST_MESSAGE = 1_000;
/** Notes the model sees, the newest. */
const MOST_NOTES = 100;
const DEADLINE_MS = 15_000;

export interface DistilOptions {
  readonly ports: ThreadsPorts;
  readonly config: Pick<ThreadsConfig, 'claudeAccounts'>;
  readonly platform: Pick<Platform, 'id'>;
  readonly signal: AbortSignal;
}

/** What an agent said in a session. */
export interface Spoken {
  readonly atUs: number;
  readonly text: string;
}

/**
 * Takes what is worth keeping from a session that has ended, by one cheap call of the agent. Whatever goes wrong is
 * in the log and in the record and nowhere else: nobody waits for it.
 */
export async function distil(
  { ports, config, platform, signal }: DistilOptions,
  sessionId: string,
  spoken: readonly Spoken[],
): Promise<void> {
  const { store, agent, audit, log } = ports;
  const row = await sessionById(store.db, sessionId);
  if (row === null || row.state !== 'ended') return;
  const messages = await answeredIn(ports, sessionId);
  if (messages.length < FEWEST_MESSAGES) return;
  const record = (details: Readonly<Record<string, unknown>>) =>
    audit.record(platform.id, {
      action: 'memory',
      sessionId,
      channelId: row.channel_id,
      threadId: row.thread_id,
      actor: 'distilled',
      details: { act: 'distilled', ...details },
    });
  try {
    const memory = channelMemory(ports);
    const place = { platformId: row.platform_id, channelId: row.channel_id };
    const notes = (await memory.list(place)).slice(-MOST_NOTES);
    const answer = await agent.ask(distillerPrompt(recordOf(messages, spoken), notes), {
      systemPrompt: DISTILLER,
      signal,
      maxMs: DEADLINE_MS,
      account:
        row.account_id === null
          ? null
          : (accountOf(config, row.account_id) ?? (await accountToAsk(ports, config))),
    });
    const facts = factsIn(answer);
    if (facts === null) throw new Error('the answer of the model was not of the form asked for');
    const saved = await saveAll(memory, row, facts, notes);
    await record({ outcome: 'done', saved, given: facts.length });
  } catch (error) {
    log.warn({ err: error, session: sessionId }, 'nothing could be taken from a session into memory');
    await record({ outcome: signal.aborted ? 'called_off' : 'failed' });
  }
}

/** How many were kept: what is known already or too long is left out. */
async function saveAll(
  memory: ChannelMemory,
  row: SessionTable,
  facts: readonly { readonly text: string; readonly replaces: number | null }[],
  notes: readonly MemoryEntry[],
): Promise<number> {
  let saved = 0;
  for (const { text, replaces } of facts) {
    const outcome = await memory.write(
      { platformId: row.platform_id, channelId: row.channel_id },
      {
        text,
        source: 'distilled',
        author: { id: row.owner_id, name: row.owner_name },
        sessionId: row.session_id,
        replaces: notes.find(({ index }) => index === replaces)?.id ?? null,
      },
    );
    if (outcome.kind === 'saved') saved += 1;
  }
  return saved;
}

/** The newest messages of people that the agent took, oldest first. */
async function answeredIn(
  { store }: Pick<ThreadsPorts, 'store'>,
  sessionId: string,
): Promise<MessageTable[]> {
  const rows = await store.db
    .selectFrom('threads_messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('outcome', '=', 'answered')
    .orderBy('position', 'desc')
    .limit(MOST_MESSAGES)
    .execute();
  return rows.filter((row) => !isOwnMessage(row)).toReversed();
}

/** The messages that the agent took, and between them what it said itself since this process runs. */
function recordOf(messages: readonly MessageTable[], spoken: readonly Spoken[]): Said[] {
  const timed = [
    ...messages.map((message) => ({ atUs: message.received_us, said: saidIn(message) })),
    ...spoken.map(({ atUs, text }) => ({ atUs, said: { by: null, text: cut(text) } })),
  ];
  return timed
    .toSorted((one, other) => one.atUs - other.atUs)
    .slice(-MOST_MESSAGES)
    .map(({ said }) => said);
}

function saidIn({ author_name, author_id, text }: MessageTable): Said {
  return { by: sanitizeName(author_name, author_id), text: cut(text) };
}

/** The first so many characters. */
export function cut(text: string): string {
  const points = [...text.slice(0, LONGEST_MESSAGE * 2)];
  return points.length <= LONGEST_MESSAGE
    ? text.toWellFormed()
    : `${points.slice(0, LONGEST_MESSAGE).join('')}…`;
}
