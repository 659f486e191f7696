import { describe, expect, test } from 'vitest';
import { serverAddress } from './address.ts';

const POST = 'abcdefghijkmnopqrstuwxyz12';

describe('the address of a server', () => {
  test('leads to its API and WebSocket, below a path too', () => {
    const address = serverAddress('https://chat.example.com/team-chat/');
    expect(address.base).toBe('https://chat.example.com/team-chat');
    expect(address.api('/users/me')).toBe('https://chat.example.com/team-chat/api/v4/users/me');
    expect(address.webSocket).toBe('wss://chat.example.com/team-chat/api/v4/websocket');
    expect(serverAddress('http://localhost:8065').webSocket).toBe('ws://localhost:8065/api/v4/websocket');
  });

  test.each(['chat.example.com', 'ftp://chat.example.com', 'https://bot:secret@chat.example.com', ''])(
    'refuses %j',
    (url) => {
      expect(() => serverAddress(url)).toThrow(/url of Mattermost/);
    },
  );
});

describe('a permalink', () => {
  const address = serverAddress('https://chat.example.com/team-chat');

  test('names the team where it is known', () => {
    expect(address.permalink(POST, 'crew')).toBe(`https://chat.example.com/team-chat/crew/pl/${POST}`);
    expect(address.permalink(POST, null)).toBe(`https://chat.example.com/team-chat/_redirect/pl/${POST}`);
  });

  test.each([
    `https://chat.example.com/team-chat/crew/pl/${POST}`,
    `https://chat.example.com:443/team-chat/crew/pl/${POST}/`,
    `https://CHAT.example.com/team-chat/_redirect/pl/${POST}?a=b#c`,
    `<https://chat.example.com/team-chat/crew/pl/${POST}|that post>`,
    ` <https://chat.example.com/team-chat/crew/pl/${POST}> `,
  ])('is read: %s', (text) => {
    expect(address.parsePermalink(text)).toEqual({ channelId: null, postId: POST, threadId: null });
  });

  test.each([
    `http://chat.example.com/team-chat/crew/pl/${POST}`,
    `https://chat.example.com:8443/team-chat/crew/pl/${POST}`,
    `https://chat.example.com.evil.test/team-chat/crew/pl/${POST}`,
    `https://chat.example.com@evil.test/team-chat/crew/pl/${POST}`,
    `https://me@chat.example.com/team-chat/crew/pl/${POST}`,
    `https://chat.example.com/crew/pl/${POST}`,
    `https://chat.example.com/team-chat/../crew/pl/${POST}`,
    `https://chat.example.com/team-chats/crew/pl/${POST}`,
    `https://chat.example.com/team-chat/a/crew/pl/${POST}`,
    `https://chat.example.com/team-chat/crew/pl/${POST}0`,
    `https://chat.example.com/team-chat/crew/channels/${POST}`,
    'see above',
  ])('is not read where it is none of this server: %s', (text) => {
    expect(address.parsePermalink(text)).toBeNull();
  });
});
