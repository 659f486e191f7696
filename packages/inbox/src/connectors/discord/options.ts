import type { Clock } from '@postern/kit';
import type { Log } from '../../ports.ts';

/** What the connector is made with. */
export interface DiscordOptions {
  readonly token: string;
  /** REST base, with or without the version; Discord's own when absent. */
  readonly apiUrl?: string | undefined;
  /** Ids of the only server channels that are heard, with the threads in them; absent means all. */
  readonly channels?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly pauses?: Partial<DiscordPauses>;
}

export interface DiscordPauses {
  /** Between tries to connect, or to read what was missed: the first one, doubling up to the longest. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** Between two IDENTIFYs; Discord wants 5 s. */
  readonly identifyMs: number;
  /** How long a broken connection may take to have its session, or a new one. */
  readonly sessionMs: number;
  /** How long the link to a file may take to answer. */
  readonly fileMs: number;
  /** How long rate limits may hold up a send. */
  readonly limitedMs: number;
  /** Between tries after Discord refused for a reason that only the operator can mend. */
  readonly refusedMs: number;
}

export const DEFAULT_PAUSES: DiscordPauses = {
  firstMs: 1_000,
  longestMs: 60_000,
  identifyMs: 5_500,
  sessionMs: 3 * 60_000,
  fileMs: 15_000,
  limitedMs: 15_000,
  // A bot has 1,000 IDENTIFYs a day, and loses its token when it uses them up.
  refusedMs: 5 * 60_000,
};
