import type { Log } from '@postern/http/mcp';
import { systemClock, systemRandom } from '@postern/kit';
import type { Platform } from '../../platforms/platform.ts';
import type { StandaloneSettings } from '../environment.ts';

/** The platform of a server that stands alone; the code of the other one is not loaded. */
export async function standalonePlatform(
  { platform, channelId }: Pick<StandaloneSettings, 'platform' | 'channelId'>,
  log: Log,
): Promise<Platform> {
  const common = { id: platform.type, channelId, clock: systemClock, random: systemRandom, log };
  if (platform.type === 'mattermost') {
    const { mattermostPlatform } = await import('../../platforms/mattermost/mattermost.ts');
    return mattermostPlatform({ ...common, url: platform.url, token: platform.token });
  }
  const { slackPlatform } = await import('../../platforms/slack/slack-platform.ts');
  return slackPlatform({
    ...common,
    botToken: platform.botToken,
    appToken: platform.appToken,
    apiUrl: platform.apiUrl ?? undefined,
  });
}
