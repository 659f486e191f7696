import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { ALLOWED, OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

const directMessages = { behaviour: { directMessages: true } };

async function bench(engine: Parameters<typeof sessionBench>[0], options: object = directMessages) {
  const at = await sessionBench(engine, options);
  for (const person of [OWNER, ALLOWED, STRANGER]) at.platform.addPerson(person);
  const write = async (person: typeof OWNER, text: string) =>
    at.platform.say(person, text, { channelId: await at.platform.directChannel(person.id) });
  const heard = (person: typeof OWNER) =>
    at.platform.posts.filter(({ channelId, author }) => channelId === `dm-${person.id}` && author.isBot);
  return { ...at, write, heard };
}

describeEngines('a direct conversation with the bot', (engine) => {
  test('is a session of its own, answered without a mention and outside of threads', async () => {
    const { write, hears, agent, sessions } = await bench(engine);
    await write(OWNER, 'one');
    await hears('answer: one');
    await write(OWNER, 'two');
    const { threadId, postId, channelId } = await hears('answer: two');
    expect([threadId, channelId]).toEqual([postId, 'dm-u-owner']);
    expect(agent.processes).toHaveLength(1);
    expect(await sessions()).toMatchObject([
      { kind: 'channel', channel_id: 'dm-u-owner', thread_id: 'dm-u-owner', owner_id: OWNER.id },
    ]);
  });

  test('is each person’s own, beside the sessions of the channel', async () => {
    const { platform, write, hears, sessions } = await bench(engine);
    const root = await platform.say(OWNER, '@postern three');
    await hears('answer: three', root.threadId);
    await write(OWNER, 'one');
    await write(ALLOWED, 'two');
    expect((await hears('answer: one')).channelId).toBe('dm-u-owner');
    expect((await hears('answer: two')).channelId).toBe('dm-u-allowed');
    expect(await sessions()).toHaveLength(3);
  });

  test('lets its own person approve', async () => {
    const { write, hears, manager, sessions } = await bench(engine);
    await write(OWNER, 'one');
    await hears('answer: one');
    const [session] = await sessions();
    const standing = (id: string) => manager.actions.standing(session!.session_id, 'fake', id);
    expect([await standing(OWNER.id), await standing(ALLOWED.id)]).toEqual(['owner', 'allowed']);
  });

  test('turns strangers away once', async () => {
    const { write, hears, heard, fate, sessions } = await bench(engine);
    await write(STRANGER, 'let me in');
    await hears('not on the list');
    const again = await write(STRANGER, '@postern please');
    const third = await write(STRANGER, '!help');
    await expect.poll(() => fate(third.postId), patience).toBe('refused');
    expect(await fate(again.postId)).toBe('refused');
    expect(heard(STRANGER)).toHaveLength(1);
    expect(await sessions()).toEqual([]);
  });

  test('asks nobody about somebody who does not belong in it', async () => {
    const { platform, write, hears, fate, heard } = await bench(engine);
    await write(OWNER, 'one');
    await hears('answer: one');
    const other = await platform.say(STRANGER, 'and me?', { channelId: 'dm-u-owner' });
    await expect.poll(() => fate(other.postId), patience).toBe('refused');
    expect(heard(OWNER).map(({ text }) => text)).not.toContainEqual(
      expect.stringContaining('not in this session'),
    );
  });

  test('takes what begins with somebody’s name as said to the bot', async () => {
    const { write, hears } = await bench(engine);
    await write(OWNER, '@alan wants a report');
    await hears('answer: @alan wants a report');
  });

  test('needs no mention where sessions elsewhere do', async () => {
    const { write, hears } = await bench(engine, {
      behaviour: { directMessages: true, directChannelMode: 'mention' },
      threads: { respondOnlyWhenMentioned: true },
    });
    await write(OWNER, 'one');
    await hears('answer: one');
  });

  test('goes on after a restart', async () => {
    const { write, hears, restart, agent } = await bench(engine);
    await write(OWNER, 'one');
    await hears('answer: one');
    await restart();
    await write(OWNER, 'two');
    await hears('answer: two');
    expect(agent.processes.at(-1)?.launch.resume).toBe(true);
  });

  test('ends with !stop, and the next message begins another', async () => {
    const { write, hears, sessions } = await bench(engine);
    await write(OWNER, 'one');
    await hears('answer: one');
    await write(OWNER, '!stop');
    await hears('Write to begin another');
    await write(OWNER, 'two');
    await hears('answer: two');
    expect(await sessions()).toMatchObject([{ state: 'active' }, { state: 'ended' }]);
  });

  test('is not listened to unless it is turned on', async () => {
    const { platform, write, hears, fate, heard } = await bench(engine, {});
    const direct = await write(OWNER, '@postern one');
    await platform.say(OWNER, '@postern two');
    await hears('answer: two');
    expect(await fate(direct.postId)).toBe('not recorded');
    expect(heard(OWNER)).toEqual([]);
  });
});
