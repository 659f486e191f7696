import type { Clock } from '@postern/kit';
import { type Platform, PlatformError } from './platform.ts';

const KEPT_MS = 10 * 60_000;
/** Whoever looks at a page waits no longer for a name. */
const PATIENCE_MS = 1_000;

/**
 * Names of the channels that platforms listen in, for people to read. Null where the platform does not say so soon;
 * a name that comes late is there the next time.
 */
export function channelNames(clock: Clock): (platform: Platform) => Promise<string | null> {
  const known = new Map<string, { readonly name: string | null; readonly untilUs: number }>();
  const asked = new Map<string, Promise<void>>();

  async function ask(platform: Platform): Promise<void> {
    try {
      const channel = await platform.channel(platform.channelId);
      const untilUs = clock.nowMicroseconds() + KEPT_MS * 1_000;
      known.set(platform.id, { name: channel?.name ?? null, untilUs });
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }

  return async (platform) => {
    const before = known.get(platform.id);
    if (before !== undefined && before.untilUs > clock.nowMicroseconds()) return before.name;
    const running = asked.get(platform.id) ?? ask(platform).finally(() => asked.delete(platform.id));
    asked.set(platform.id, running);
    const patience = new AbortController();
    await Promise.race([running, clock.sleep(PATIENCE_MS, patience.signal)]);
    patience.abort();
    return known.get(platform.id)?.name ?? null;
  };
}
