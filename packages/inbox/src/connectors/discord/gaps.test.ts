import { expect, test } from 'vitest';
import { numbered } from '../../testing/contract/tools.ts';
import { discordBench } from '../../testing/fakes/discord/bench.ts';
import { TEST_PAUSES } from '../../testing/fakes/discord/harness.ts';

/** What was said while the gateway told nothing of it, although a session went on or a reading was refused. */

test('what is said while a server of Discord is out of order arrives when it is back', async () => {
  const { fake, guildId, general, ana, start } = await discordBench();
  const process = await start();
  fake.say(general, ana, 'before');
  await process.until((messages) => messages.length === 1);
  fake.gateway.loseGuild(guildId);
  for (const text of numbered(40)) fake.say(general, ana, text);
  const made = fake.open({ type: 0, guildId, name: 'made meanwhile' });
  fake.say(made, ana, 'in the new channel');
  fake.gateway.returnGuild(guildId);
  fake.say(general, ana, 'after');
  await process.until((messages) => messages.length >= 43);
  const texts = await process.texts();
  expect(texts).toContain('in the new channel');
  expect(texts.filter((text) => text !== 'in the new channel')).toEqual(['before', ...numbered(40), 'after']);
});

test('a server that comes late after a restart is read from where its channels stood, to when it came', async () => {
  const { fake, guildId, general, ana, start } = await discordBench();
  const first = await start();
  fake.say(general, ana, 'before');
  await first.until((messages) => messages.length === 1);
  await first.stop();
  fake.gateway.forgetSessions();
  fake.gateway.loseGuild(guildId);
  fake.say(general, ana, 'while it was down');
  const next = await start();
  await next.until((messages) => messages.length === 2);
  fake.say(general, ana, 'while the server was still to come');
  fake.gateway.returnGuild(guildId);
  fake.say(general, ana, 'after');
  await next.until((messages) => messages.length >= 4);
  expect(await next.texts()).toEqual([
    'before',
    'while it was down',
    'while the server was still to come',
    'after',
  ]);
});

test('the servers of every shard are caught up with', async () => {
  const { fake, ana, start } = await discordBench({ fake: { shards: 3 } });
  // Their ids tell the shard: there are four for each.
  const guilds = Array.from({ length: 12 }, (_, index) =>
    fake.world.addGuild(`Server ${index}`, String(((BigInt(fake.world.id()) >> 22n) + BigInt(index)) << 22n)),
  );
  const channels = guilds.map((guildId) => fake.world.addChannel({ type: 0, guildId }));
  const first = await start();
  await first.until(() => fake.gateway.received.filter((op) => op === 2).length === 3);
  for (const channel of channels) fake.say(channel, ana, 'before');
  await first.until((messages) => messages.length === 12);
  await first.stop();
  fake.gateway.forgetSessions();
  for (const guildId of guilds) {
    fake.say(fake.open({ type: 0, guildId, name: 'made meanwhile' }), ana, 'in a new channel');
  }
  for (const channel of channels) fake.say(channel, ana, 'missed');
  const next = await start();
  await next.until((messages) => messages.length >= 36);
  const texts = await next.texts();
  for (const text of ['before', 'missed', 'in a new channel']) {
    expect(texts.filter((other) => other === text)).toHaveLength(12);
  }
});

test.each([403, 404, 407, 200])(
  'a page of status %i from somebody else is not taken for Discord',
  async (status) => {
    const { fake, general, ana, start, home } = await discordBench();
    const first = await start();
    fake.say(general, ana, 'before');
    await first.until((messages) => messages.length === 1);
    await first.stop();
    fake.gateway.forgetSessions();
    fake.say(general, ana, 'missed');
    fake.faults.rest.set('read', [{ foreign: status }, { foreign: status }]);
    const next = await home.start();
    await next.until((messages) => messages.length >= 2);
    fake.say(general, ana, 'after');
    await next.until((messages) => messages.length >= 3);
    expect(await next.texts()).toEqual(['before', 'missed', 'after']);
  },
);

test('a gateway that takes a RESUME and never answers it is left for a new session', async () => {
  const { fake, general, ana, start } = await discordBench({ pauses: { ...TEST_PAUSES, sessionMs: 1_000 } });
  const process = await start();
  fake.say(general, ana, 'before');
  await process.until((messages) => messages.length === 1);
  fake.faults.muteResume = true;
  fake.gateway.drop();
  fake.say(general, ana, 'meanwhile');
  await process.until((messages) => messages.length === 2);
  await process.untilHealth((status) => status === 'ok');
  fake.say(general, ana, 'after');
  await process.until((messages) => messages.length === 3);
  expect(await process.texts()).toEqual(['before', 'meanwhile', 'after']);
});

test('a server without archives of threads is no trouble', async () => {
  const { fake, general, ana, start, home } = await discordBench();
  const first = await start();
  fake.say(general, ana, 'before');
  await first.until((messages) => messages.length === 1);
  await first.stop();
  fake.gateway.forgetSessions();
  fake.faults.rest.set(
    'archive',
    Array.from({ length: 100 }, () => ({ foreign: 404 })),
  );
  fake.say(general, ana, 'missed');
  const next = await home.start();
  await next.until((messages) => messages.length === 2);
  await next.untilHealth((status) => status === 'ok');
  expect(await next.texts()).toEqual(['before', 'missed']);
});

test('what came while the bot was kept out of a channel is read once it is let in again', async () => {
  const { fake, general, direct, ana, start } = await discordBench();
  const first = await start();
  fake.say(general, ana, 'before');
  await first.until((messages) => messages.length === 1);
  await first.stop();
  fake.gateway.forgetSessions();
  fake.say(general, ana, 'missed');
  general.isHidden = true;
  const next = await start();
  fake.say(direct, ana, 'the rest goes on');
  await next.until((messages) => messages.length === 2);
  general.isHidden = false;
  fake.say(general, ana, 'after');
  await next.until((messages) => messages.length >= 4);
  expect((await next.texts()).filter((text) => text !== 'the rest goes on')).toEqual([
    'before',
    'missed',
    'after',
  ]);
});

test('a channel whose past stays closed is heard all the same, and not asked for with every message', async () => {
  const { fake, general, direct, ana, start } = await discordBench();
  const first = await start();
  fake.say(general, ana, 'before');
  await first.until((messages) => messages.length === 1);
  await first.stop();
  fake.gateway.forgetSessions();
  general.isHidden = true;
  const next = await start();
  fake.say(direct, ana, 'the rest goes on');
  await next.until((messages) => messages.length === 2);
  for (const text of numbered(20)) fake.say(general, ana, text);
  await next.until((messages) => messages.length === 22);
  for (const text of numbered(20, 'more')) fake.say(general, ana, text);
  await next.until((messages) => messages.length === 42);
  const reads = fake.rest.calls.filter((call) => call.startsWith(`GET /channels/${general.id}/messages`));
  expect(reads.length).toBeLessThanOrEqual(3);
});

test("somebody's first direct messages, written while nobody listened, arrive with the next one", async () => {
  const { fake, ana, direct, start } = await discordBench();
  const first = await start();
  fake.say(direct, ana, 'before');
  await first.until((messages) => messages.length === 1);
  await first.stop();
  fake.gateway.forgetSessions();
  const opened = fake.world.addChannel({ type: 1 });
  fake.say(opened, ana, 'anybody there?');
  fake.say(opened, ana, 'hello?');
  const next = await start();
  fake.say(opened, ana, 'I give up');
  await next.until((messages) => messages.length >= 4);
  expect(await next.texts()).toEqual(['before', 'anybody there?', 'hello?', 'I give up']);
});

test('a first direct message that died with its process arrives with the next one, however much came between', async () => {
  const { fake, general, ana, ben, start } = await discordBench();
  const process = await start();
  fake.say(general, ana, 'before');
  await process.until((messages) => messages.length === 1);
  process.sinkOrders.push('die-before');
  const opened = fake.world.addChannel({ type: 1 });
  fake.say(opened, ben, 'my first words');
  await process.untilHealth((status) => status === 'down');
  await process.untilHealth((status) => status === 'ok');
  for (const text of numbered(100)) fake.say(general, ana, text);
  await process.until((messages) => messages.length >= 101);
  fake.say(opened, ben, 'my second words');
  await process.until((messages) => messages.length >= 103);
  expect((await process.texts()).slice(-2)).toEqual(['my first words', 'my second words']);
});

test('a message with a part that cannot be read is not lost for it', async () => {
  const { fake, general, direct, ana, start } = await discordBench();
  const process = await start();
  const tell = (message: Record<string, unknown>) =>
    fake.gateway.dispatch(
      'MESSAGE_CREATE',
      { channel_id: general.id, guild_id: general.guildId, author: ana, ...message },
      { intent: 'guildMessages', guildId: general.guildId },
    );
  const timestamp = new Date().toISOString();
  tell({ id: fake.world.id(), timestamp, content: '1', attachments: [{ id: '1', filename: 'a', size: -1 }] });
  tell({ id: fake.world.id(), timestamp, content: '2', message_reference: 'none', member: 7 });
  tell({ id: fake.world.id(), timestamp, content: '3', message_snapshots: [null, { message: {} }] });
  tell({ id: fake.world.id(), channel_id: direct.id, guild_id: '', timestamp, content: 'direct' });
  tell({ id: fake.world.id(), timestamp: null, content: '4', edited_timestamp: 0, type: null });
  await process.until((messages) => messages.length === 5);
  expect(await process.texts()).toEqual(['1', '2', '3', 'direct', '4']);
  const [withFile] = await process.received();
  expect(withFile?.raw).toMatchObject({ missing_attachments: [{ name: 'a' }] });
});
