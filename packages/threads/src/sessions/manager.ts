import { join } from 'node:path';
import { withLease } from '@postern/store';
import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform, PlatformHealth } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { QuestionDesk } from '../questions/question.ts';
import type { SessionTable } from '../tables.ts';
import { sessionActions } from './actions.ts';
import type { SessionJoins } from './joins.ts';
import { createRoom, type Room } from './room.ts';
import type { SessionActions } from './session.ts';
import { createSlots } from './slots.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Store notification: something about a session has changed; the payload is its id. */
export const SESSIONS_CHANNEL = 'threads_sessions';

export interface ConfiguredPlatform {
  readonly platform: Platform;
  readonly behaviour: PlatformConfig;
}

export interface ManagerOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly platforms: readonly ConfiguredPlatform[];
  /** Made after the actions, which questions and tools look people up with. */
  joins(): SessionJoins & { readonly questions: QuestionDesk };
}

export interface RoomHealth {
  readonly id: string;
  readonly kind: string;
  readonly status: PlatformHealth['status'] | 'standby' | 'stopped';
  readonly detail?: string;
}

export interface SessionManager {
  readonly actions: SessionActions;
  /** Platforms that this process holds now, by their ids. */
  readonly rooms: ReadonlyMap<string, Room>;
  uploadDir(sessionId: string): string;
  /** Ends a session of a platform that this process holds, when it has been paused since before a moment. */
  endForgotten(session: SessionTable, beforeUs: number, reason: string): Promise<void>;
  start(): void;
  /** Takes every process down and keeps everything for the next start. */
  stop(): Promise<void>;
  health(): RoomHealth[];
}

/**
 * Runs the configured platforms, each in one process at a time: who holds a platform's lease has its connection
 * and its sessions, and takes them down when the lease is lost.
 */
export function createSessionManager(options: ManagerOptions): SessionManager {
  const { ports, config, platforms } = options;
  const { store, clock, log } = ports;
  const stopping = new AbortController();
  const rooms = new Map<string, Room>();
  const slots = createSlots(config.limits.maxSessions);
  const states = new Map<string, Pick<RoomHealth, 'status' | 'detail'>>();
  const runs: Promise<void>[] = [];
  const actions = sessionActions({ ports, config, rooms, questions: () => options.joins().questions });
  const uploadDir = (sessionId: string) => join(ports.agentDir, 'uploads', sessionId);

  async function runHeld({ platform, behaviour }: ConfiguredPlatform, held: AbortSignal): Promise<void> {
    const room = createRoom({
      ports,
      config,
      behaviour,
      platform,
      joins: options.joins(),
      slots,
      actions,
      uploadDir,
      onChange: (sessionId) => store.notify(SESSIONS_CHANNEL, sessionId),
    });
    rooms.set(platform.id, room);
    const restoring = room.restore().catch((error: unknown) => {
      if (!held.aborted)
        log.error({ err: error, platform: platform.id }, 'sessions could not be brought back');
    });
    try {
      await connect(platform, room, held);
    } finally {
      await room.close();
      await restoring;
      rooms.delete(platform.id);
    }
  }

  /** Keeps the platform connected; one that stops with an error is started again, with pauses that grow. */
  async function connect(platform: Platform, room: Room, held: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!held.aborted) {
      const startedUs = clock.nowMicroseconds();
      try {
        states.delete(platform.id);
        await platform.run(room.feed, held);
      } catch (error) {
        if (held.aborted) return;
        states.set(platform.id, {
          status: 'failed',
          detail: 'stopped by an error; it is started again by itself',
        });
        log.error({ err: error, platform: platform.id }, 'a platform stopped');
      }
      if (held.aborted) return;
      if (clock.nowMicroseconds() - startedUs > LONGEST_PAUSE_MS * 1_000) pause = FIRST_PAUSE_MS;
      await clock.sleep(pause, held);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  async function run(configured: ConfiguredPlatform): Promise<void> {
    const { id } = configured.platform;
    while (!stopping.signal.aborted) {
      states.set(id, { status: 'standby', detail: 'another process runs it' });
      try {
        await withLease({ store, name: `threads:${id}`, signal: stopping.signal }, (held) =>
          runHeld(configured, held),
        );
      } catch (error) {
        log.error({ err: error, platform: id }, 'the lease of a platform failed');
        await clock.sleep(LONGEST_PAUSE_MS, stopping.signal);
      }
    }
    states.set(id, { status: 'stopped' });
  }

  return {
    actions,
    rooms,
    uploadDir,
    endForgotten: async (session, beforeUs, reason) =>
      rooms.get(session.platform_id)?.live(session).endForgotten(beforeUs, reason),
    start() {
      runs.push(...platforms.map(run));
    },
    async stop() {
      stopping.abort();
      await Promise.all(runs);
    },
    health: () =>
      platforms.map(({ platform }) => ({
        id: platform.id,
        kind: platform.kind,
        ...(states.get(platform.id) ?? platform.health()),
      })),
  };
}
