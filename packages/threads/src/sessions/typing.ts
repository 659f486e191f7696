import type { Clock } from '@postern/kit';
import type { OutputPlace } from './joins.ts';

/** Platforms show it for some seconds. */
const AGAIN_MS = 4_000;

/** Shows that the bot is at work until the signal aborts. */
export async function showTyping(place: OutputPlace, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await place.platform.typing(place.channelId, place.threadId);
    await clock.sleep(AGAIN_MS, signal);
  }
}
