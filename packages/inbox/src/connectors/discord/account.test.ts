import { expect, test } from 'vitest';
import { discordBench } from '../../testing/fakes/discord/bench.ts';

/** What Discord lets the account do, what the operator lets in, and what is no message of a person's. */

const MESSAGE_CONTENT = 1 << 15;

test('a privileged intent that is off is said, with where to switch it on, and mended without a restart', async () => {
  const { fake, home, general, ana } = await discordBench();
  fake.faults.disallowedIntents = MESSAGE_CONTENT;
  const process = await home.start();
  const { detail } = await process.untilHealth((status) => status === 'down');
  expect(detail).toMatch(/Message Content intent is off.*Developer Portal/);
  fake.faults.disallowedIntents = 0;
  await process.untilHealth((status) => status === 'ok');
  fake.say(general, ana, 'hello');
  await process.until((messages) => messages.length === 1);
  expect(await process.texts()).toEqual(['hello']);
});

test('a token that Discord refuses is said, and not shown', async () => {
  const { home } = await discordBench({ token: 'not-the-token' });
  const process = await home.start();
  const { detail } = await process.untilHealth((status) => status === 'down');
  expect(detail).toMatch(/refuses the bot token/);
  expect(detail).not.toContain('not-the-token');
});

test('a token that is refused at the gateway is said', async () => {
  const { fake, home } = await discordBench();
  fake.faults.closeIdentify.push(4_004);
  const process = await home.start();
  const { detail } = await process.untilHealth((status) => status === 'down');
  expect(detail).toMatch(/refuses the bot token/);
  await process.untilHealth((status) => status === 'ok');
});

test('bots, webhooks, system messages and the account itself are passed over', async () => {
  const { fake, general, ana, start } = await discordBench();
  const process = await start();
  fake.say(general, fake.world.addUser('Other bot', true), 'beep');
  fake.say(general, fake.bot, 'from another client of ours');
  fake.say(general, ana, '', { type: 7 });
  fake.say(general, ana, 'from a person');
  await process.until((messages) => messages.length === 1);
  const quarantine = await process.inbox.quarantine({ limit: 10, beforeMessageId: null });
  expect([...(await process.texts()), ...quarantine.map(({ text }) => text)]).toEqual(['from a person']);
});

test('only listed channels and the threads in them are heard, and direct messages', async () => {
  const listed = '4100200300400500600';
  const { fake, guildId, general, direct, ana, start } = await discordBench({ channels: [listed] });
  const channel = fake.world.addChannel({ id: listed, type: 0, guildId, name: 'listed' });
  const process = await start();
  fake.say(general, ana, 'not heard');
  fake.say(fake.open({ type: 11, guildId, parentId: general.id }), ana, 'not heard either');
  fake.say(channel, ana, 'in the channel');
  fake.say(fake.open({ type: 11, guildId, parentId: listed }), ana, 'in its thread');
  fake.say(direct, ana, 'directly');
  await process.until((messages) => messages.length >= 3);
  expect((await process.texts()).sort()).toEqual(['directly', 'in its thread', 'in the channel']);
});

test('where a thread belongs is asked for when nobody has said, and asked again when there is no answer', async () => {
  const listed = '4100200300400500600';
  const { fake, guildId, ana, start } = await discordBench({ channels: [listed] });
  fake.world.addChannel({ id: listed, type: 0, guildId, name: 'listed' });
  const process = await start();
  const thread = fake.world.addChannel({ type: 11, guildId, parentId: listed });
  fake.faults.rest.set('channel', [
    { status: 500 },
    { status: 500 },
    { status: 500 },
    { status: 500 },
    'lose-call',
  ]);
  fake.say(thread, ana, 'in a thread nobody told of');
  await process.until((messages) => messages.length === 1);
  expect(await process.texts()).toEqual(['in a thread nobody told of']);
});

test('a name that looks like somebody else is no way in', async () => {
  const { fake, general, start } = await discordBench();
  const process = await start();
  fake.say(general, fake.world.addUser('Ana'), 'let me in');
  let waiting = [] as { text: string }[];
  while (waiting.length === 0) {
    waiting = await process.inbox.quarantine({ limit: 10, beforeMessageId: null });
  }
  expect(waiting).toMatchObject([{ text: 'let me in' }]);
  expect(await process.texts()).toEqual([]);
});
