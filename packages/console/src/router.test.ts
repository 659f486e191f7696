import { describe, expect, test } from 'vitest';
import { parseRoute, paths } from './router.tsx';

describe('addresses', () => {
  test('what is built is what is read', () => {
    expect(parseRoute(paths.chat('a/b c', 'post_1', 'post_0'))).toEqual({
      page: 'chat',
      channel: 'a/b c',
      message: 'post_1',
      thread: 'post_0',
    });
    expect(parseRoute(paths.inbox('conversations', 'discord:channel:1'))).toEqual({
      page: 'inbox',
      section: 'conversations',
      item: 'discord:channel:1',
    });
    expect(parseRoute(paths.campaigns('prj_1', 'lists', 'lst_1'))).toEqual({
      page: 'campaigns',
      project: 'prj_1',
      section: 'lists',
      item: 'lst_1',
    });
    expect(parseRoute(paths.campaigns(null, 'captured', 'cap_1'))).toEqual({
      page: 'campaigns',
      project: null,
      section: 'captured',
      item: 'cap_1',
    });
    expect(parseRoute(paths.login)).toEqual({ page: 'login' });
  });

  test('a message’s permalink leads to the chat', () => {
    expect(parseRoute('/chat/general/post_1')).toMatchObject({
      page: 'chat',
      channel: 'general',
      message: 'post_1',
    });
  });

  test.each(['/console', '/console/', '/console/chat', '/console/chat/'])('%s is the chat', (path) => {
    expect(parseRoute(path)).toEqual({ page: 'chat', channel: null, message: null, thread: null });
  });

  test.each(['/console/nope', '/console/inbox/nope', '/console/campaigns/nope', '/elsewhere', '/consolexyz'])(
    '%s is unknown',
    (path) => {
      expect(parseRoute(path)).toEqual({ page: 'unknown' });
    },
  );

  test('an address that can’t be decoded is taken as it is', () => {
    expect(parseRoute('/console/chat/%E0%A4%A')).toMatchObject({ channel: '%E0%A4%A' });
  });
});
