import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HarnessPost } from '../../src/testing/platform-harness.ts';
import { type MakeHarness, openStage, patience, type Stage, type Thread, until } from './stage.ts';

/** A channel that is one session, and people's own conversations with the bot. */
export function direct(makeHarness: MakeHarness): void {
  describe('direct', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(makeHarness, {
        behaviour: { directChannelMode: 'all_messages', directMessages: true },
      });
    });
    afterAll(() => stage.close());

    const refused = async (by: string) =>
      (await stage.record('reaction_refused')).filter(({ actor }) => actor === by).length;

    test('channel mode: one session at the top of the channel, whose owner alone decides', async () => {
      const { harness, ada, ben, gus, sam } = stage;
      const channel: Thread = { channelId: harness.platform.channelId };
      const isRoot = (post: HarnessPost) => expect(post.threadId).toBe(post.postId);
      await stage.say(ada, 'good morning', channel);
      isRoot(await stage.hears('You said: good morning'));
      await stage.say(ben, 'from me too', channel);
      isRoot(await stage.hears('You said: [@ben]: from me too'));

      await stage.say(ada, '[[ask Bash {"command":"make one"}]] [[echo]]', channel);
      const card = await stage.card('make one');
      isRoot(card);
      for (const other of [ben, gus, sam]) await harness.react(other, card, '+1');
      await expect.poll(() => refused(sam.id), patience).toBe(1);
      await harness.react(ada, card, '+1');
      await stage.hears('ran {"command":"make one"}');
      expect(await stage.record('permission')).toMatchObject([{ actor: ada.id }]);

      await stage.say(sam, 'and I', channel);
      const held = await stage.card('and I');
      await harness.react(ben, held, 'white_check_mark');
      await expect.poll(() => refused(ben.id), patience).toBe(2);
      await harness.react(ada, held, '+1');
      await stage.hears('You said: [@sam]: and I');

      // Whom the owner lets in decides too, and whom somebody else lets in does not.
      await stage.say(ben, '!invite {sam}', channel);
      await until(async () => (await stage.count('is in this session now')) === 1, 'sam is in');
      await stage.say(ada, '!invite {gus}', channel);
      await until(async () => (await stage.count('is in this session now')) === 2, 'gus is in');
      await stage.say(ada, '[[ask Bash {"command":"make two"}]] [[echo]]', channel);
      const second = await stage.card('make two');
      await harness.react(sam, second, '+1');
      await harness.react(gus, second, '+1');
      await stage.hears('ran {"command":"make two"}');
      await expect.poll(() => stage.reads(second), patience).toContain('Allowed once by gus');

      await stage.say(ada, '!routine every hour look around', channel);
      await stage.hears('Routines are made in threads');
      await stage.say(ada, '!routines', channel);
      await stage.hears('There are no routines here');
      const draft = { name: 'more', prompt: 'x', schedule: { preset: 'hourly' } };
      await stage.say(ada, `[[call propose_routine ${JSON.stringify(draft)}]] [[say no matter]]`, channel);
      await stage.hears('no matter');
      expect(await stage.count('Claude proposes')).toBe(0);
      await stage.finish(channel);
    });

    test('messages: a session for each person, over restarts, and none for strangers', async () => {
      const { harness, ada, ben, sam } = stage;
      const [adas, bens, sams] = await Promise.all(
        [ada, ben, sam].map(async (person) => ({ channelId: await harness.openDirect(person) })),
      );
      if (!adas || !bens || !sams) throw new Error('there are three');
      await stage.say(ada, 'between us', adas);
      await stage.hears('You said: between us', adas);
      await stage.say(ada, '[[ask Bash {"command":"make three"}]] [[echo]]', adas);
      await harness.react(ada, await stage.card('make three', 3, adas), '+1');
      await stage.hears('ran {"command":"make three"}', adas);
      for (const text of ['hello', 'hello?']) await stage.say(sam, text, sams);
      await stage.hears('you are not on the list of people I work for', sams);

      await stage.restart(async () => {
        await stage.say(ada, 'are you there?', adas);
        // The first that this one ever wrote.
        await stage.say(ben, 'and for me?', bens);
      });
      await stage.hears('You said: are you there?', adas);
      await stage.hears('You said: and for me?', bens);
      await stage.say(ada, '[[history]]', adas);
      await stage.hears('"are you there?","[[history]]"]', adas);
      expect(await stage.count('You said: are you there?', adas)).toBe(1);
      expect(await stage.count('', sams)).toBe(1);
      for (const text of ['between us', 'are you there?', 'and for me?'])
        expect(await stage.count(text)).toBe(0);
    });
  });
}
