import type { Log } from '@postern/http';
import { PlatformError, type PostRef } from '../platforms/platform.ts';
import type { OutputPlace, Say } from './joins.ts';

/** Speaks in a thread; what cannot be posted is logged, since nothing of a session hangs on it. */
export function speaker(place: OutputPlace, log: Log): Say {
  return async (markdown, key) => {
    let last: PostRef | null = null;
    try {
      for (const [index, piece] of place.platform.split(markdown).entries()) {
        last = await place.platform.post({
          channelId: place.channelId,
          threadId: place.threadId,
          markdown: piece,
          ...(key === undefined ? {} : { key: index === 0 ? key : `${key}:${index}` }),
        });
      }
      return last;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      log.warn({ err: error, platform: place.platform.id }, 'a notice could not be posted');
      return null;
    }
  };
}
