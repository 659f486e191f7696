import { expect, onTestFinished, test } from 'vitest';
import { fakeDiscord } from '../../testing/fakes/discord/fake-discord.ts';
import { checkDiscord } from './check.ts';

async function fake() {
  const discord = await fakeDiscord();
  onTestFinished(() => discord.stop());
  return discord;
}

test('a bot that is set up has nothing to mend', async () => {
  const discord = await fake();
  const { id } = discord.world.addChannel({
    type: 0,
    guildId: discord.world.addGuild('Test'),
    name: 'general',
  });
  const checks = await checkDiscord({ ...discord, channels: [id] });
  expect(checks).toMatchObject([
    { name: 'token', ok: true, message: 'Signed in as helper' },
    { name: 'intents', ok: true },
    { name: 'channels', ok: true, message: `Sees #general (${id})` },
  ]);
});

test('each listed channel has its line, whether it is seen or not', async () => {
  const discord = await fake();
  const guildId = discord.world.addGuild('Test');
  const seen = discord.world.addChannel({ type: 0, guildId, name: 'seen' });
  const hidden = discord.world.addChannel({ type: 0, guildId, isHidden: true });
  const many = Array.from({ length: 30 }, () => seen.id);
  const checks = await checkDiscord({ ...discord, channels: [hidden.id, ...many] });
  expect(checks.filter(({ name }) => name === 'channels')).toEqual([
    expect.objectContaining({ ok: false, message: expect.stringContaining(hidden.id) }),
    ...many.slice(0, 24).map(() => expect.objectContaining({ ok: true, message: `Sees #seen (${seen.id})` })),
    { name: 'channels', ok: true, message: 'The other 6 listed channels were not looked at' },
  ]);
});

test('a refused token is said, and how to mend it', async () => {
  const discord = await fake();
  const checks = await checkDiscord({ apiUrl: discord.apiUrl, token: 'wrong' });
  expect(checks).toMatchObject([
    { name: 'token', ok: false, remedy: expect.stringContaining('Developer Portal') },
  ]);
});

test('a privileged intent that is off is said', async () => {
  const discord = await fake();
  discord.faults.disallowedIntents = 1 << 15;
  const checks = await checkDiscord(discord);
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: 'intents',
      ok: false,
      message: expect.stringContaining('Message Content'),
    }),
  );
});

test('a listed channel that the bot cannot see is said', async () => {
  const discord = await fake();
  const { id } = discord.world.addChannel({
    type: 0,
    guildId: discord.world.addGuild('Test'),
    isHidden: true,
  });
  const checks = await checkDiscord({ ...discord, channels: [id, '1'] });
  expect(checks.filter(({ name }) => name === 'channels')).toMatchObject([
    { ok: false, message: expect.stringContaining(id) },
    { ok: false },
  ]);
});

test('a Discord that is not there is told from one that refuses', async () => {
  const discord = await fake();
  await discord.goOffline();
  expect(await checkDiscord(discord)).toMatchObject([{ ok: false, message: 'Discord gave no answer' }]);
});
