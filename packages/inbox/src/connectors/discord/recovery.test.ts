import { expect, test } from 'vitest';
import { numbered } from '../../testing/contract/tools.ts';
import { type DiscordBench, discordBench } from '../../testing/fakes/discord/bench.ts';
import type { FakeChannel } from '../../testing/fakes/discord/world.ts';

const IDENTIFY = 2;
const RESUME = 6;

function sayAll({ fake, ana }: DiscordBench, channel: FakeChannel, texts: readonly string[]): void {
  for (const text of texts) fake.say(channel, ana, text);
}

test('a broken connection is resumed, and nothing is read again', async () => {
  const bench = await discordBench();
  const process = await bench.start();
  sayAll(bench, bench.general, ['1']);
  await process.until((messages) => messages.length === 1);
  bench.fake.gateway.drop();
  sayAll(bench, bench.general, ['2']);
  await process.until((messages) => messages.length === 2);
  expect(bench.fake.gateway.received.filter((op) => op === IDENTIFY || op === RESUME)).toEqual([
    IDENTIFY,
    RESUME,
  ]);
  expect(bench.fake.rest.calls.filter((call) => call.includes('/messages?'))).toEqual([]);
});

test.each([
  ['that is not known any more', (bench: DiscordBench) => bench.fake.gateway.forgetSessions()],
  [
    'that is refused',
    (bench: DiscordBench) => {
      bench.fake.faults.refuseResume = true;
    },
  ],
])('after a session %s, what was missed is read from every known channel', async (_, spoil) => {
  const bench = await discordBench();
  const { fake, general, direct, ana } = bench;
  const process = await bench.start();
  sayAll(bench, general, ['1']);
  fake.say(direct, ana, 'to you 1');
  await process.until((messages) => messages.length === 2);
  spoil(bench);
  fake.gateway.drop();
  sayAll(bench, general, ['2', '3']);
  fake.say(direct, ana, 'to you 2');
  await process.until((messages) => messages.length === 5);
  expect((await process.texts()).sort()).toEqual(['1', '2', '3', 'to you 1', 'to you 2']);
  for (const { id } of [general, direct]) {
    expect(fake.rest.calls).toContainEqual(expect.stringMatching(`^GET /channels/${id}/messages\\?after=`));
  }
});

test('after hours of sleep, threads old and new, open and archived, and new channels arrive', async () => {
  const bench = await discordBench();
  const { fake, guildId, general, ana } = bench;
  const process = await bench.start();
  const thread = fake.open({ type: 11, guildId, parentId: general.id, name: 'old thread' });
  sayAll(bench, thread, ['in the old thread']);
  await process.until((messages) => messages.length === 1);
  await process.stop();

  fake.gateway.forgetSessions();
  sayAll(bench, thread, ['more in the old thread']);
  thread.archivedMs = Date.now();
  const open = fake.open({ type: 11, guildId, parentId: general.id, name: 'new thread' });
  sayAll(bench, open, ['in the new thread']);
  const archived = fake.open({ type: 11, guildId, parentId: general.id, name: 'short thread' });
  sayAll(bench, archived, ['in the short thread']);
  archived.archivedMs = Date.now();
  const secret = fake.open({ type: 12, guildId, parentId: general.id, name: 'private thread' });
  sayAll(bench, secret, ['in the private thread']);
  secret.archivedMs = Date.now();
  const channel = fake.open({ type: 0, guildId, name: 'new channel' });
  sayAll(bench, channel, ['in the new channel']);
  sayAll(bench, general, numbered(230));

  const next = await bench.start();
  await next.until((messages) => messages.length === 236);
  fake.say(general, ana, 'and on');
  await next.until((messages) => messages.length === 237);
  const texts = await next.texts();
  expect(texts.filter((text) => text.startsWith('message '))).toEqual(numbered(230));
  expect(texts.filter((text) => text.includes(' the ')).sort()).toEqual([
    'in the new channel',
    'in the new thread',
    'in the old thread',
    'in the private thread',
    'in the short thread',
    'more in the old thread',
  ]);
});

test('what was written before the bot came to a server stays there', async () => {
  const bench = await discordBench();
  const { fake, ana } = bench;
  const process = await bench.start();
  const guildId = fake.world.addGuild('Joined later');
  const old = fake.world.addChannel({ type: 0, guildId, name: 'old' });
  fake.world.addMessage(old, ana, 'long ago');
  fake.gateway.dispatch(
    'GUILD_CREATE',
    { id: guildId, channels: [{ id: old.id, type: 0, last_message_id: old.messages[0]!.id }], threads: [] },
    { intent: null },
  );
  fake.say(old, ana, 'now');
  await process.until((messages) => messages.length === 1);
  await process.stop();
  fake.gateway.forgetSessions();
  fake.say(old, ana, 'later');
  const next = await bench.start();
  await next.until((messages) => messages.length === 2);
  expect(await next.texts()).toEqual(['now', 'later']);
});

test('what is live while the rest is being read comes behind it, once', async () => {
  const bench = await discordBench();
  const { fake, general } = bench;
  const process = await bench.start();
  sayAll(bench, general, ['before']);
  await process.until((messages) => messages.length === 1);
  await process.stop();
  fake.gateway.forgetSessions();
  sayAll(bench, general, numbered(150, 'missed'));
  fake.faults.rest.set('read', [{ status: 500 }, { status: 503 }]);
  const next = await bench.home.start();
  while (!fake.rest.calls.some((call) => call.includes('/messages?'))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  sayAll(bench, general, numbered(5, 'live'));
  await next.until((messages) => messages.length >= 156);
  expect(await next.texts()).toEqual(['before', ...numbered(150, 'missed'), ...numbered(5, 'live')]);
});

test('a channel that cannot be read holds up no other, and is said', async () => {
  const bench = await discordBench();
  const { fake, general, direct, ana } = bench;
  const process = await bench.start();
  fake.say(direct, ana, 'to you 1');
  sayAll(bench, general, ['1']);
  await process.until((messages) => messages.length === 2);
  await process.stop();
  fake.gateway.forgetSessions();
  sayAll(bench, general, ['2']);
  fake.say(direct, ana, 'to you 2');
  // Four tries each of the library's own, for one of the two channels at least three times over.
  fake.faults.rest.set(
    'read',
    Array.from({ length: 24 }, () => ({ status: 500 })),
  );
  const next = await bench.home.start();
  const { detail } = await next.untilHealth((status) => status === 'degraded');
  expect(detail).toContain('Discord answered 500');
  await next.until((messages) => messages.length === 4);
  await next.untilHealth((status) => status === 'ok');
  expect((await next.texts()).sort()).toEqual(['1', '2', 'to you 1', 'to you 2']);
});

test('a channel that the bot may no longer see, and one that is gone, hold up nothing', async () => {
  const bench = await discordBench();
  const { fake, guildId, general } = bench;
  const [hidden, gone] = ['hidden', 'gone'].map((name) => fake.world.addChannel({ type: 0, guildId, name }));
  const process = await bench.start();
  for (const channel of [hidden!, gone!, general]) sayAll(bench, channel, ['hello']);
  await process.until((messages) => messages.length === 3);
  await process.stop();
  fake.gateway.forgetSessions();
  hidden!.isHidden = true;
  fake.world.channels.delete(gone!.id);
  sayAll(bench, general, ['still here']);
  const next = await bench.start();
  await next.until((messages) => messages.length === 4);
  expect((await next.texts()).at(-1)).toBe('still here');
});

test('a change that was missed reaches the newest messages', async () => {
  const bench = await discordBench();
  const { fake, general, ana } = bench;
  const process = await bench.start();
  const { id } = fake.say(general, ana, 'at nine');
  await process.until((messages) => messages.length === 1);
  await process.stop();
  fake.gateway.forgetSessions();
  fake.edit(id, 'at ten');
  const next = await bench.start();
  await next.until(([message]) => message?.text === 'at ten');
  expect(await next.texts()).toEqual(['at ten']);
});

test('what was deleted or changed meanwhile is gone or changed afterwards, as far back as one look goes', async () => {
  const bench = await discordBench();
  const { fake, general, direct, ana } = bench;
  const first = await bench.start();
  const said = numbered(50).map((text) => fake.say(general, ana, text));
  const only = fake.say(direct, ana, 'to you alone');
  await first.until((messages) => messages.length === 51);
  await first.stop();
  fake.gateway.forgetSessions();
  for (const index of [0, 3, 20, 49]) fake.delete(said[index]!.id);
  fake.edit(said[5]!.id, 'changed');
  fake.delete(only.id);
  fake.say(general, ana, 'after');
  const next = await bench.start();
  await next.until((messages) => messages.length === 47 && messages.some(({ text }) => text === 'changed'));
  const left = numbered(50).map((text, index) => (index === 5 ? 'changed' : text));
  expect(await next.texts()).toEqual([
    ...left.filter((_, index) => ![0, 3, 20, 49].includes(index)),
    'after',
  ]);
});

test('a history that the bot may not read is not taken for an empty one', async () => {
  const bench = await discordBench();
  const { fake, general, direct, ana } = bench;
  const first = await bench.start();
  sayAll(bench, general, ['1', '2']);
  await first.until((messages) => messages.length === 2);
  await first.stop();
  fake.gateway.forgetSessions();
  // Discord answers so where Read Message History is missing.
  const kept = general.messages.splice(0);
  const next = await bench.start();
  fake.say(direct, ana, 'the rest goes on');
  await next.until((messages) => messages.length === 3);
  await next.untilHealth((status) => status === 'ok');
  general.messages.push(...kept);
  expect(await next.texts()).toEqual(['1', '2', 'the rest goes on']);
});

test.each(['live', 'missed'])('a file that an edit takes out of a message goes, %s', async (when) => {
  const bench = await discordBench();
  const { fake, general, ana } = bench;
  const first = await bench.start();
  const files = ['a.txt', 'b.txt'].map((name) => ({ name, bytes: Buffer.from(name) }));
  const said = fake.say(general, ana, 'look', { files });
  await first.until(([message]) => message?.attachments.length === 2);
  if (when === 'missed') {
    await first.stop();
    fake.gateway.forgetSessions();
  }
  fake.edit(said.id, 'look', said.files.slice(1));
  const process = when === 'missed' ? await bench.start() : first;
  const [message] = await process.until(([message]) => message?.attachments.length === 1);
  expect(await process.bytesOf(message!.attachments[0]!.id)).toEqual(Buffer.from('b.txt'));
});

test('calls keep to the rate limits that Discord tells', async () => {
  const bench = await discordBench({ fake: { bucket: { limit: 2, windowMs: 300 } } });
  const { fake, general } = bench;
  const process = await bench.start();
  sayAll(bench, general, ['before']);
  await process.until((messages) => messages.length === 1);
  await process.stop();
  fake.gateway.forgetSessions();
  sayAll(bench, general, numbered(450, 'missed'));
  const next = await bench.start();
  await next.until((messages) => messages.length >= 451);
  expect(await next.texts()).toEqual(['before', ...numbered(450, 'missed')]);
  expect(fake.rest.early).toBe(0);
});

test('being limited all the same is waited out', async () => {
  const bench = await discordBench();
  const { fake, general } = bench;
  const process = await bench.start();
  sayAll(bench, general, ['before']);
  await process.until((messages) => messages.length === 1);
  await process.stop();
  fake.gateway.forgetSessions();
  sayAll(bench, general, ['missed']);
  fake.faults.rest.set('read', [{ retryAfterMs: 100, global: true }, { retryAfterMs: 100 }]);
  const next = await bench.start();
  await next.until((messages) => messages.length === 2);
  expect(await next.texts()).toEqual(['before', 'missed']);
});

test('a gateway that asks to connect again, or stops beating, costs nothing', async () => {
  const bench = await discordBench({ fake: { heartbeatMs: 100 } });
  const { fake, general } = bench;
  const process = await bench.start();
  sayAll(bench, general, ['1']);
  await process.until((messages) => messages.length === 1);
  fake.gateway.askToReconnect();
  sayAll(bench, general, ['2']);
  await process.until((messages) => messages.length === 2);
  fake.faults.muteHeartbeats = true;
  const resumes = () => fake.gateway.received.filter((op) => op === RESUME).length;
  const before = resumes();
  while (resumes() === before) await new Promise((resolve) => setTimeout(resolve, 10));
  fake.faults.muteHeartbeats = false;
  sayAll(bench, general, ['3']);
  await process.until((messages) => messages.length === 3);
  expect(await process.texts()).toEqual(['1', '2', '3']);
});
