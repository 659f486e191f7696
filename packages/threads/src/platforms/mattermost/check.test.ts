import { systemClock, systemRandom } from '@postern/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeMattermost, startFakeMattermost } from '../../testing/fakes/mattermost/server.ts';
import { checkMattermost } from './check.ts';

let server: FakeMattermost;

beforeEach(async () => {
  server = await startFakeMattermost({ subPath: '/chat' });
});
afterEach(() => server.stop());

const check = (changed: { url?: string; token?: string; channelId?: string } = {}) =>
  checkMattermost(
    { url: server.url, token: server.bot.token, channelId: server.channel.id, ...changed },
    { clock: systemClock, random: systemRandom, deadlineMs: 2_000 },
  );

describe('the check of the settings for Mattermost', () => {
  test('passes when all is well', async () => {
    expect(await check()).toEqual(
      ['url', 'server', 'token', 'channel', 'membership', 'connection'].map((name) => ({ name, ok: true })),
    );
  });

  test.each([
    ['url', { url: 'chat.example.com' }, /https:\/\//],
    ['server', { url: 'PAGE' }, /without team or channel/],
    ['token', { token: 'wrong' }, /access token/],
    ['channel', { channelId: 'town-square' }, /View Info/],
    ['channel', { channelId: 'abcdefghijkmnopqrstuwxyz12' }, /add the bot/],
  ] as const)('stops at the %s that is wrong: %o', async (name, changed, remedy) => {
    const url =
      'url' in changed && changed.url === 'PAGE' ? { url: server.url.replace('/chat', '/crew') } : {};
    const last = (await check({ ...changed, ...url })).at(-1);
    expect(last).toMatchObject({ name, ok: false, remedy: expect.stringMatching(remedy) });
    expect(JSON.stringify(last)).not.toContain(server.bot.token);
  });

  test('asks for the bot to be invited', async () => {
    server.channel.members.delete(server.bot.id);
    expect((await check()).at(-1)).toMatchObject({
      name: 'membership',
      problem: expect.stringContaining('@postern is not a member'),
      remedy: expect.stringContaining('/invite @postern'),
    });
  });

  test('notices a proxy that lets no WebSocket through', async () => {
    server.hub.refuse(true);
    expect((await check()).at(-1)).toMatchObject({
      name: 'connection',
      ok: false,
      remedy: expect.stringContaining('WebSockets'),
    });
  });
});
