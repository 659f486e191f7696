import type { PlatformConfig, ThreadsConfig } from '../config.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { Questions } from '../questions/question.ts';
import type { LiveSession } from '../sessions/live.ts';
import type { People } from '../sessions/people.ts';
import type { Slots } from '../sessions/slots.ts';
import type { SessionTable } from '../tables.ts';

/** What standing tasks of one platform work with, while this process holds it. */
export interface TaskSurroundings {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly behaviour: PlatformConfig;
  readonly platform: Platform;
  readonly questions: Questions;
  readonly people: Pick<People, 'isAllowed' | 'self'>;
  readonly slots: Slots;
  /** Resolves once it is known who is on the list. */
  ready(): Promise<void>;
  /** Aborts when the platform is let go. */
  readonly signal: AbortSignal;
  live(session: SessionTable): LiveSession;
  /** Work that nobody waits for; a failure is logged. */
  start(what: string, work: Promise<unknown>): void;
  /** Whether nothing is begun any more until the next start. */
  isShut(): boolean;
}
