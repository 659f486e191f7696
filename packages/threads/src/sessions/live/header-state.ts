import { PlatformError } from '../../platforms/platform.ts';
import { headerText } from '../header.ts';
import { addFacts, factsOf, sessionById } from '../records.ts';
import type { SessionCore } from './core.ts';

/**
 * Makes the header say whether the session has started: it is posted before the agent is, and that may fail. A
 * session whose agent has begun once has started, whatever comes later.
 */
export async function showStart(core: SessionCore, start: 'started' | 'failed'): Promise<void> {
  const { ports, behaviour, platform } = core.options;
  const { db } = ports.store;
  const session = await sessionById(db, core.id);
  // At the head of an unattended session stands its task.
  if (session === null || session.is_unattended === 1 || !platform.capabilities.edit) return;
  const { headerPostId, hasFailedStart = false } = factsOf(session);
  const hasFailed = start === 'failed';
  if (headerPostId === undefined || hasFailed === hasFailedStart) return;
  if (hasFailed && session.has_begun === 1) return;
  const text = headerText(session, behaviour.sessionHeader, start);
  if (text === null) return;
  try {
    await platform.edit({ channelId: session.channel_id, postId: headerPostId }, text);
    await addFacts(ports.store, core.id, { hasFailedStart: hasFailed });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    ports.log.warn({ err: error, session: core.id }, 'the header of a session could not be edited');
  }
}
