import { Refusal } from '../secrets/data-folder.ts';
import type { Asking } from './asking.ts';
import { Unfit } from './asking.ts';
import type { Given } from './given.ts';
import { askToken } from './platform-questions.ts';
import { serverUrl, slackToken } from './readers.ts';
import type { RemoteKind } from './remote.ts';

/** @throws Refusal when the address of the Web API is none. */
export function slackKind(asking: Asking, given: Given): RemoteKind<'botToken' | 'appToken'> {
  const apiUrl = given.apiUrl === undefined ? null : apiUrlOf(given.apiUrl);
  return {
    fields: [
      {
        name: 'botToken',
        meaning: 'Another bot token',
        ask: (isFirst) =>
          askToken(
            asking,
            given,
            {
              variable: 'SLACK_BOT_TOKEN',
              question: 'Bot User OAuth Token, xoxb-… (OAuth & Permissions)',
              read: slackToken('xoxb-', 'xapp-'),
            },
            isFirst,
          ),
      },
      {
        name: 'appToken',
        meaning: 'Another app-level token',
        ask: (isFirst) =>
          askToken(
            asking,
            given,
            {
              variable: 'SLACK_APP_TOKEN',
              question: 'App-level token, xapp-… (Basic Information)',
              read: slackToken('xapp-', 'xoxb-'),
            },
            isFirst,
          ),
      },
    ],
    blame: { 'app token': 'appToken', 'bot token': 'botToken', scopes: 'botToken' },
    credentials: ({ botToken, appToken }, channelId) => ({
      type: 'slack',
      botToken: botToken.value,
      appToken: appToken.value,
      channelId,
      ...(apiUrl === null ? {} : { apiUrl }),
    }),
    platform: ({ botToken, appToken }, channel, botName) => ({
      type: 'slack',
      botToken,
      appToken,
      apiUrl,
      channel,
      botName,
    }),
  };
}

/** Only ever a flag, for those whose Slack is reached another way. */
function apiUrlOf(text: string): string {
  try {
    return serverUrl(text);
  } catch (error) {
    if (error instanceof Unfit) throw new Refusal(`--api-url: ${error.message}`);
    throw error;
  }
}
