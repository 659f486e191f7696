import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { BOT, OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

describeEngines('direct channel mode', (engine) => {
  test('makes one session of the whole channel, with answers outside of threads', async () => {
    const { platform, agent, hears, sessions } = await sessionBench(engine, {
      behaviour: { directChannelMode: 'all_messages' },
    });
    await platform.say(OWNER, 'one');
    await hears('answer: one');
    await platform.say(OWNER, 'two');
    const { threadId, postId } = await hears('answer: two');
    expect(threadId).toBe(postId);
    expect(agent.processes).toHaveLength(1);
    expect(await sessions()).toMatchObject([{ kind: 'channel', thread_id: platform.channelId }]);
  });

  test('with mention takes only what mentions the bot', async () => {
    const { platform, hears, fate } = await sessionBench(engine, {
      behaviour: { directChannelMode: 'mention' },
    });
    const aside = await platform.say(OWNER, 'lunch?');
    await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const talk = await platform.say(OWNER, 'soup');
    await platform.say(OWNER, '@postern two');
    await hears('answer: two');
    expect(await fate(aside.postId)).toBe('not recorded');
    expect(await fate(talk.postId)).toBe('ignored');
  });

  test('asks the owner alone about others', async () => {
    const { platform, hears, fate, manager, sessions } = await sessionBench(engine, {
      behaviour: { directChannelMode: 'all_messages' },
    });
    await platform.say(OWNER, 'one');
    await hears('answer: one');
    const message = await platform.say(STRANGER, 'me too');
    const card = await hears('is not in this session');
    await platform.reactAs(OWNER, card, '+1');
    await expect.poll(() => fate(message.postId), patience).toBe('answered');
    const [session] = await sessions();
    expect(await manager.actions.view(session!.session_id)).toMatchObject({ owner: { id: OWNER.id } });
  });
});

describeEngines('an accepted message', (engine) => {
  test('gets the reaction that is configured', async () => {
    const { platform, hears } = await sessionBench(engine, { behaviour: { ackReaction: 'eyes' } });
    const root = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const reactions = () => platform.reactionsOn.get(root.postId);
    await expect.poll(reactions, patience).toEqual([{ emoji: 'eyes', personId: BOT.id }]);
  });
});
