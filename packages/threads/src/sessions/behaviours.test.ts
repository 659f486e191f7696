import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { ALLOWED, BOT, OWNER, STRANGER } from '../testing/fake-platform.ts';
import { patience, sessionBench } from '../testing/session-bench.ts';

const acked = [{ emoji: 'eyes', personId: BOT.id }];

/** How people write to the bot in each way a channel can be divided into sessions. */
const WAYS = [
  ['threads', {}, '@postern '],
  ['direct channel mode', { directChannelMode: 'all_messages' }, ''],
  ['direct channel mode with mention', { directChannelMode: 'mention' }, '@postern '],
  ['direct messages', { directMessages: true }, ''],
] as const;

for (const [name, behaviour, call] of WAYS) {
  describeEngines(`in ${name}`, (engine) => {
    async function bench(more: { behaviour?: object; threads?: object } = {}) {
      const at = await sessionBench(engine, { ...more, behaviour: { ...behaviour, ...more.behaviour } });
      at.platform.addPerson(OWNER);
      const isDirect = 'directMessages' in behaviour;
      const channelId = isDirect ? await at.platform.directChannel(OWNER.id) : at.platform.channelId;
      const first = await at.platform.say(OWNER, `${call}one`, { channelId });
      const { threadId } = await at.hears('answer: one');
      const where = { channelId, ...(name === 'threads' ? { threadId } : {}) };
      const write = (text: string, person = OWNER) => at.platform.say(person, text, where);
      return { ...at, first, write };
    }

    test('each message that is taken gets the reaction, and no other does', async () => {
      const { platform, first, write, hears, fate } = await bench({ behaviour: { ackReaction: 'eyes' } });
      const second = await write(`${call}two`);
      await hears('answer: two');
      const command = await write(`${call}!help`);
      await expect.poll(() => fate(command.postId), patience).toBe('command');
      const reactions = (postId: string) => platform.reactionsOn.get(postId) ?? [];
      await expect
        .poll(() => [reactions(first.postId), reactions(second.postId)], patience)
        .toEqual([acked, acked]);
      expect(reactions(command.postId)).toEqual([]);
    });

    test('a message that no agent gets is not acknowledged', async () => {
      const { platform, write, fate } = await bench({ behaviour: { ackReaction: 'eyes' } });
      const other = await write(`${call}let me in`, STRANGER);
      await expect.poll(() => fate(other.postId), patience).toMatch(/^(held|refused)$/);
      expect(platform.reactionsOn.get(other.postId) ?? []).toEqual([]);
    });

    test('a quiet session hears only what mentions the bot', async () => {
      const { write, hears, fate } = await bench();
      await write(`${call}!mentions on`);
      await hears('only messages that mention me');
      const aside = await write('lunch?');
      await write('@postern two');
      await hears('answer: two');
      expect(await fate(aside.postId)).toBe('ignored');
      await write('@postern !mentions off');
      await hears('takes all messages');
    });

    test('who speaks is said once there are two, unless that is turned off', async () => {
      for (const [userAttribution, answer] of [
        [true, 'answer: [@alan]: two'],
        [false, 'answer: two'],
      ] as const) {
        const { write, hears } = await bench({ threads: { userAttribution } });
        await write(`${call}two`, ALLOWED);
        expect((await hears('two')).text).toBe(answer);
      }
    });

    test.each([
      ['full', '🧵 **Session started**'],
      ['minimal', '🧵 Session started'],
    ])('the header is %s', async (sessionHeader, text) => {
      const { hears, platform } = await bench({ behaviour: { sessionHeader } });
      const header = await hears(text);
      const offered = () => platform.reactionsOn.get(header.postId)?.map(({ emoji }) => emoji);
      await expect.poll(offered, patience).toEqual(['double_vertical_bar', 'x']);
      await platform.reactAs(OWNER, header, 'x');
      await hears('This session is over');
    });

    test('a hidden header is not there', async () => {
      const { platform } = await bench({ behaviour: { sessionHeader: 'hidden' } });
      expect(platform.posts.filter(({ text }) => text.startsWith('🧵'))).toEqual([]);
    });
  });
}
