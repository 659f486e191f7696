import { systemClock, systemRandom } from '@postern/kit';
import {
  checkMattermost,
  checkSlack,
  type LookUp,
  mattermostLookUp,
  type PlatformCheck,
  slackLookUp,
} from '@postern/threads';

/** Settings of a platform as far as they are known; what is not is empty. */
export type Credentials = MattermostCredentials | SlackCredentials;

interface MattermostCredentials {
  readonly type: 'mattermost';
  readonly url: string;
  readonly token: string;
  readonly channelId: string;
}

interface SlackCredentials {
  readonly type: 'slack';
  readonly botToken: string;
  readonly appToken: string;
  readonly channelId: string;
  readonly apiUrl?: string | undefined;
}

/** How long the checks of one platform may take together, in milliseconds. */
const CHECK_MS = 30_000;

/** Asks the platform whether a bot could work with these settings. Never throws. */
export async function checkPlatform(
  credentials: Credentials,
  signal: AbortSignal,
  checkMs = CHECK_MS,
): Promise<readonly PlatformCheck[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(checkMs)]);
  const ports = { clock: systemClock, random: systemRandom, signal: limited };
  return credentials.type === 'mattermost'
    ? checkMattermost(credentials, ports)
    : checkSlack(credentials, ports);
}

export function lookUpOf(credentials: Credentials, signal: AbortSignal): LookUp {
  const ports = { clock: systemClock, random: systemRandom, signal };
  return credentials.type === 'mattermost'
    ? mattermostLookUp({ ...credentials, ...ports })
    : slackLookUp({ ...credentials, ...ports });
}
