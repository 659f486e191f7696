import { type Asking, answer } from './asking.ts';
import type { Given } from './given.ts';
import { askToken } from './platform-questions.ts';
import { serverUrl, token } from './readers.ts';
import type { RemoteKind } from './remote.ts';

export function mattermostKind(asking: Asking, given: Given): RemoteKind<'url' | 'token'> {
  return {
    fields: [
      {
        name: 'url',
        meaning: 'Another address of the server',
        ask: async (isFirst) => ({
          variable: null,
          value: await answer(asking, {
            source: '--url',
            placeholder: 'URL',
            question: 'Address of the server, such as https://chat.example.com',
            given: isFirst ? given.url : undefined,
            read: serverUrl,
          }),
        }),
      },
      {
        name: 'token',
        meaning: 'Another access token',
        ask: (isFirst) =>
          askToken(
            asking,
            given,
            { variable: 'MATTERMOST_TOKEN', question: 'Access token of the bot account', read: token },
            isFirst,
          ),
      },
    ],
    blame: { url: 'url', server: 'url', token: 'token', connection: 'url' },
    credentials: ({ url, token: secret }, channelId) => ({
      type: 'mattermost',
      url: url.value,
      token: secret.value,
      channelId,
    }),
    platform: ({ url, token: secret }, channel, botName) => ({
      type: 'mattermost',
      url: url.value,
      token: secret,
      channel,
      botName,
    }),
  };
}
