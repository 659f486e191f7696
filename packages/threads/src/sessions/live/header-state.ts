import { PlatformError } from '../../platforms/platform.ts';
import type { SessionTable } from '../../tables.ts';
import { headerText } from '../header.ts';
import { wayToSpeak } from '../places.ts';
import { addFacts, factsOf, sessionById } from '../records.ts';
import type { SessionCore } from './core.ts';

/**
 * Makes the header say whether the session has started: it is posted before the agent is, and that may fail. A
 * session whose agent has begun once has started, whatever comes later.
 */
export async function showStart(core: SessionCore, start: 'started' | 'failed'): Promise<void> {
  await editHeader(core, ({ has_begun }, hadFailed) =>
    start === 'failed' && has_begun === 1 ? null : hadFailed === (start === 'failed') ? null : start,
  );
}

/** Makes the header tell of the session as it stands now. */
export async function showChange(core: SessionCore): Promise<void> {
  // The others tell of nothing that changes.
  if (core.options.behaviour.sessionHeader !== 'full') return;
  await editHeader(core, (_, hadFailed) => (hadFailed ? 'failed' : 'started'));
}

/** @param startOf How its start went, for the header to say; null leaves it as it is. */
async function editHeader(
  core: SessionCore,
  startOf: (session: SessionTable, hadFailed: boolean) => 'started' | 'failed' | null,
): Promise<void> {
  const { ports, behaviour, platform } = core.options;
  const { db } = ports.store;
  const session = await sessionById(db, core.id);
  // At the head of an unattended session stands its task.
  if (session === null || session.is_unattended === 1 || !platform.capabilities.edit) return;
  const { headerPostId, hasFailedStart = false } = factsOf(session);
  const start = startOf(session, hasFailedStart);
  if (headerPostId === undefined || start === null) return;
  const text = headerText(session, behaviour.sessionHeader, wayToSpeak(core.options, session), start);
  if (text === null) return;
  try {
    await platform.edit({ channelId: session.channel_id, postId: headerPostId }, text);
    await addFacts(ports.store, core.id, { hasFailedStart: start === 'failed' });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    ports.log.warn({ err: error, session: core.id }, 'the header of a session could not be edited');
  }
}
