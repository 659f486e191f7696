import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { textOf } from '../testing/fake-agent.ts';
import { ALLOWED, fakePlatform, OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

const CARD = 'is not in this session';
const SAME_NAME = { id: 'u-other', name: OWNER.name, isBot: false };
const HELPER = { id: 'b-helper', name: 'helper', isBot: true };

describeEngines('someone who is not on the list', (engine) => {
  test('begins no session, and is told so once in a thread', async () => {
    const { platform, hears, said, sessions, fate, audit } = await sessionBench(engine);
    const root = await platform.say(STRANGER, '@postern let me in');
    await hears('not on the list', root.threadId);
    const again = await platform.say(STRANGER, '@postern please', { threadId: root.threadId });
    await expect.poll(() => fate(again.postId), patience).toBe('refused');
    expect(said(root.threadId)).toHaveLength(1);
    expect(await sessions()).toEqual([]);
    expect(audit.of('session_refused')).toMatchObject([{ actor: STRANGER.id }]);
  });

  test('is not taken for somebody allowed who has the same name', async () => {
    const { platform, hears, sessions } = await sessionBench(engine);
    await platform.say(SAME_NAME, '@postern let me in');
    await hears('not on the list');
    expect(await sessions()).toEqual([]);
  });

  test('is nobody to an empty list', async () => {
    const { platform, hears } = await sessionBench(engine, { behaviour: { allowedUsers: [] } });
    await platform.say(OWNER, '@postern let me in');
    await hears('not on the list');
  });

  test('takes the name of someone on the list after it was looked up, in vain', async () => {
    const platform = fakePlatform();
    const { hears, restart, sessions } = await sessionBench(engine, {
      platform,
      behaviour: { allowedUsers: [OWNER.name] },
    });
    await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    platform.addPerson({ ...OWNER, name: 'renamed' });
    platform.addPerson(SAME_NAME);
    await restart();
    await platform.say(SAME_NAME, '@postern let me in');
    await hears('not on the list');
    await platform.say({ ...OWNER, name: 'renamed' }, '@postern two');
    await hears('answer: two');
    expect(await sessions()).toHaveLength(2);
  });

  test('takes an id that nobody has yet as a name, in vain', async () => {
    const { platform, store, hears, restart } = await sessionBench(engine, {
      behaviour: { allowedUsers: ['u-late'] },
    });
    const settled = store.db.selectFrom('settings').select('value').where('key', 'like', 'threads.person.%');
    await expect.poll(() => settled.execute(), patience).toEqual([{ value: 'u-late' }]);
    await platform.say({ id: 'u-mallory', name: 'u-late', isBot: false }, '@postern let me in');
    await hears('not on the list');
    await restart();
    const root = await platform.say({ id: 'u-mallory', name: 'u-late', isBot: false }, '@postern please');
    await hears('not on the list', root.threadId);
    await platform.say({ id: 'u-late', name: 'lena', isBot: false }, '@postern hello');
    await hears('answer: hello');
  });

  test('writes into a session when somebody who may lets the message in, once', async () => {
    const { platform, hears, agent, fate } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const message = await platform.say(STRANGER, 'may I?', { threadId });
    const card = await hears(CARD, threadId);
    expect(await fate(message.postId)).toBe('held');
    await platform.reactAs(STRANGER, card, '+1');
    expect(await fate(message.postId)).toBe('held');
    await platform.reactAs(OWNER, card, '+1');
    await hears('answer: [@sam]: may I?');
    expect((await agent.process(0)).given.map(textOf)).toEqual(['one', '[@sam]: may I?']);
    const next = await platform.say(STRANGER, 'and now?', { threadId });
    await expect.poll(() => fate(next.postId), patience).toBe('held');
  });

  test('is in the session from then on when invited, and may let nobody in', async () => {
    const { platform, hears, manager, sessions, fate } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.say(STRANGER, 'may I?', { threadId });
    await platform.reactAs(ALLOWED, await hears(CARD, threadId), 'white_check_mark');
    await hears('answer: [@sam]: may I?');
    await platform.say(STRANGER, 'and now?', { threadId });
    await hears('answer: [@sam]: and now?');
    const [session] = await sessions();
    expect(await manager.actions.view(session!.session_id)).toMatchObject({
      participants: [{ id: STRANGER.id, invitedBy: ALLOWED.id }],
    });
    const other = await platform.say(SAME_NAME, 'me too', { threadId });
    const card = await hears('**olga** is not in this session', threadId);
    await platform.reactAs(STRANGER, card, '+1');
    await platform.reactAs(ALLOWED, card, '-1');
    await expect.poll(() => fate(other.postId), patience).toBe('denied');
  });

  test('keeps waiting with several messages, files and all, over a restart', async () => {
    const { platform, hears, said, restart, fate, agent } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const files = [{ name: 'notes.txt', mime: 'text/plain', bytes: Buffer.from('hello') }];
    const first = await platform.say(STRANGER, 'first', { threadId, files, channelId: platform.channelId });
    const second = await platform.say(STRANGER, 'second', { threadId });
    const cards = () =>
      platform.posts.filter((post) => post.text.includes(CARD) && post.threadId === threadId);
    await expect.poll(() => cards().length, patience).toBe(2);
    expect(await fate(first.postId)).toBe('held');
    await restart();
    await expect.poll(() => cards().length, patience).toBe(4);
    // An answer to a card of the process that is gone leads to nothing.
    await platform.reactAs(OWNER, cards()[0]!, '+1');
    expect(await fate(first.postId)).toBe('held');
    const asked = cards().slice(2);
    await platform.reactAs(OWNER, asked.find(({ text }) => text.includes('second'))!, '-1');
    await platform.reactAs(OWNER, asked.find(({ text }) => text.includes('first'))!, '+1');
    await hears('notes.txt (text/plain, 5 bytes)');
    await expect.poll(() => fate(second.postId), patience).toBe('denied');
    expect(said(threadId).some((text) => text.startsWith('answer: [@sam]: second'))).toBe(false);
    expect(agent.processes).toHaveLength(2);
  });

  test('once taken off the list, an owner decides no more', async () => {
    const { platform, manager, hears, sessions } = await sessionBench(engine);
    await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const [session] = await sessions();
    const standing = (id: string) => manager.actions.standing(session!.session_id, platform.id, id);
    expect(await standing(OWNER.id)).toBe('owner');
    expect(await standing(ALLOWED.id)).toBe('allowed');
    expect(await standing(STRANGER.id)).toBe('stranger');
  });
});

describeEngines('in a thread with a session', (engine) => {
  test('what is said to somebody else is left alone, unless the bot is mentioned too', async () => {
    const { platform, hears, fate } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    const aside = await platform.say(OWNER, '@alan what do you think?', { threadId });
    await expect.poll(() => fate(aside.postId), patience).toBe('ignored');
    await platform.say(OWNER, '@alan @postern what do you think?', { threadId });
    await hears('answer: @alan @postern what do you think?');
  });

  test('in quiet mode only what mentions the bot counts', async () => {
    const { platform, manager, hears, fate, sessions } = await sessionBench(engine);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await manager.actions.changeMentionsOnly((await sessions())[0]!.session_id, true, OWNER);
    const quiet = await platform.say(OWNER, 'among us', { threadId });
    const stranger = await platform.say(STRANGER, 'among us', { threadId });
    await expect.poll(() => fate(quiet.postId), patience).toBe('ignored');
    await expect.poll(() => fate(stranger.postId), patience).toBe('ignored');
    await platform.say(OWNER, 'two @postern', { threadId });
    await hears('answer: two');
  });

  test('talk of a thread without a session is not recorded', async () => {
    const { platform, fate } = await sessionBench(engine);
    const root = await platform.say(OWNER, 'lunch?');
    const reply = await platform.say(ALLOWED, 'yes', { threadId: root.threadId });
    expect(await fate(root.postId)).toBe('not recorded');
    expect(await fate(reply.postId)).toBe('not recorded');
  });
});

describeEngines('another bot', (engine) => {
  test('neither begins nor feeds a session', async () => {
    const { platform, hears, fate } = await sessionBench(engine);
    const mention = await platform.say(HELPER, '@postern hello');
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    const reply = await platform.say(HELPER, 'hello', { threadId });
    expect(await fate(mention.postId)).toBe('not recorded');
    expect(await fate(reply.postId)).toBe('not recorded');
  });

  test('may talk where it is allowed, and not for ever', async () => {
    const { platform, hears, fate } = await sessionBench(engine, { behaviour: { allowedBots: [HELPER.id] } });
    const { threadId } = await platform.say(OWNER, '@postern one');
    for (const text of ['a', 'b', 'c', 'd']) await platform.say(HELPER, text, { threadId });
    const fifth = await platform.say(HELPER, 'e', { threadId });
    await hears('answer: [@helper]: d');
    await expect.poll(() => fate(fifth.postId), patience).toBe('ignored');
    await platform.say(OWNER, 'go on', { threadId });
    const sixth = await platform.say(HELPER, 'f', { threadId });
    await expect.poll(() => fate(sixth.postId), patience).toBe('answered');
  });
});

describeEngines('the header of a session', (engine) => {
  const withHeader = { behaviour: { sessionHeader: 'full' } };
  const HEADER = 'Session started';

  test('ends it by ❌, and says by whom', async () => {
    const { platform, hears, sessions } = await sessionBench(engine, withHeader);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.reactAs(OWNER, await hears(HEADER, threadId), 'x');
    await hears('ended by @olga', threadId);
    expect(await sessions()).toMatchObject([{ state: 'ended' }]);
  });

  test('interrupts by ⏸️', async () => {
    const { platform, agent, hears, sessions, fate } = await sessionBench(engine, withHeader);
    agent.behave(async (turn) => void (await turn.take()));
    const { threadId, postId } = await platform.say(OWNER, '@postern one');
    await expect.poll(() => fate(postId), patience).toBe('taken');
    await platform.reactAs(OWNER, await hears(HEADER, threadId), 'double_vertical_bar');
    await expect.poll(sessions, patience).toMatchObject([{ state: 'interrupted' }]);
  });

  test('does nothing for a stranger, and that is on record', async () => {
    const { platform, audit, hears, sessions } = await sessionBench(engine, withHeader);
    const { threadId } = await platform.say(OWNER, '@postern one');
    await hears('answer: one');
    await platform.reactAs(STRANGER, await hears(HEADER, threadId), 'x');
    expect(audit.of('reaction_refused')).toMatchObject([{ actor: STRANGER.id }]);
    expect(await sessions()).toMatchObject([{ state: 'active' }]);
  });
});
