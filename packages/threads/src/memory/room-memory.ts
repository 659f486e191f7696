import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import { worktreeOf } from '../sessions/records.ts';
import type { SessionTable } from '../tables.ts';
import { autoMemoryFolder } from './auto-memory.ts';
import { backgroundOf } from './background.ts';
import { channelMemory } from './channel-memory.ts';
import { cut, distil, type Spoken } from './distil.ts';
import { tellLeftNews } from './news.ts';

/** Memory as the sessions of one platform use it. Where it is off, nothing is told and nothing is kept. */
export interface RoomMemory {
  /** What a session's agent is told when it starts; empty for nothing. */
  background(session: SessionTable): Promise<string>;
  /** Folder for what the agent's program notes by itself; null for none. */
  autoMemoryDir(session: SessionTable): Promise<string | null>;
  /**
   * The agent has said something. Its posts are not read back for it, since what stands in the thread under the
   * bot's name may quote people who are not in the session.
   */
  heard(sessionId: string, text: string): void;
  /** Tells of what agents saved before an earlier process went, and of which nobody was told. */
  tellLeft(): Promise<void>;
  /** Takes what is worth keeping from a session that has ended; one at a time. */
  distil(sessionId: string): Promise<void>;
}

/** Sessions that wait to be looked through; of more at once the memory is not made. */
const MOST_WAITING = 20;
/** Texts of an agent that are kept for the end of its session, and of how many sessions. */
const MOST_TEXTS = 30;
const MOST_SESSIONS = 200;

export function roomMemory(options: {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: Pick<PlatformConfig, 'memory'>;
  readonly platform: Platform;
  readonly signal: AbortSignal;
}): RoomMemory {
  const { ports, behaviour, signal } = options;
  const memory = channelMemory(ports);
  const spoken = new Map<string, Spoken[]>();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  return {
    async background({ platform_id, channel_id }) {
      if (!behaviour.memory) return '';
      return backgroundOf(await memory.list({ platformId: platform_id, channelId: channel_id }));
    },
    async autoMemoryDir(session) {
      // What runs unattended acts on text that nobody vouches for, so it leaves no notes for other sessions.
      if (!behaviour.memory || session.is_unattended === 1) return null;
      const place = { platformId: session.platform_id, channelId: session.channel_id };
      try {
        const path = worktreeOf(session)?.repository ?? session.working_dir;
        return await autoMemoryFolder(ports.agentDir, place, path);
      } catch (error) {
        ports.log.warn(
          { err: error, session: session.session_id },
          'an agent runs without memory of its own',
        );
        return null;
      }
    },
    heard(sessionId, text) {
      if (!behaviour.memory) return;
      const before = spoken.get(sessionId) ?? [];
      // Behind the others, so that the first is the one that has been silent for longest.
      spoken.delete(sessionId);
      spoken.set(sessionId, [
        ...before.slice(1 - MOST_TEXTS),
        { atUs: ports.clock.nowMicroseconds(), text: cut(text) },
      ]);
      const [silent] = spoken.keys();
      if (spoken.size > MOST_SESSIONS && silent !== undefined) spoken.delete(silent);
    },
    tellLeft: () => tellLeftNews(options),
    async distil(sessionId) {
      const texts = spoken.get(sessionId) ?? [];
      spoken.delete(sessionId);
      if (!behaviour.memory || signal.aborted || waiting >= MOST_WAITING) return;
      waiting += 1;
      const turn = last.then(() => (signal.aborted ? undefined : distil(options, sessionId, texts)));
      last = turn.catch(() => undefined);
      try {
        await turn;
      } finally {
        waiting -= 1;
      }
    },
  };
}
