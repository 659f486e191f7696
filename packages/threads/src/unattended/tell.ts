import { PlatformError } from '../platforms/platform.ts';
import type { TaskSurroundings } from './surroundings.ts';

/**
 * Says something in the channel. False when the platform does not take posts just now, so that it may be said later;
 * what it refuses is logged and no more.
 */
export async function tell(at: TaskSurroundings, markdown: string, key?: string): Promise<boolean> {
  const { platform, ports } = at;
  try {
    for (const [index, piece] of platform.split(markdown).entries()) {
      await platform.post({
        channelId: platform.channelId,
        threadId: null,
        markdown: piece,
        ...(key === undefined ? {} : { key: `${key}:${index}` }),
      });
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    ports.log.warn({ err: error, platform: platform.id }, 'news of a standing task could not be posted');
    return error.code !== 'unavailable';
  }
  return true;
}
