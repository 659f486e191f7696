import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MakeHarness, openStage, type Stage, type Thread, until } from './stage.ts';

/** What a channel remembers, and who may have it remember or forget something. */
export function memory(makeHarness: MakeHarness): void {
  describe('memory', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(makeHarness);
    });
    afterAll(() => stage.close());

    const place = () => ({
      platform_id: stage.harness.platform.id,
      channel_id: stage.harness.platform.channelId,
    });
    const entries = async (): Promise<{ text: string; source: string }[]> =>
      (await stage.call('GET', `/memory?${new URLSearchParams(place())}`)).body.data;

    test('goes from !remember and the agent to the next session, and is forgotten again', async () => {
      const { ada, ben, sam, gus } = stage;
      await stage.begin(ada, '!remember we deploy on Tuesdays & <never> on *Fridays*');
      await stage.hears('Remembered as number 1: we deploy on Tuesdays & <never> on Fridays');
      await stage.begin(sam, '!remember sam is the boss');
      await stage.hears('you are not on the list of people I work for');

      const thread = await stage.begin(
        ben,
        '[[call remember_fact {"text":"the tests run at noon"}]] [[args]]',
      );
      await stage.hears(
        'Claude saved a channel memory: the tests run at noon\nRemove it with !memory forget 2',
        thread,
      );
      // As the agent was started, with the memory as background.
      await stage.hears('--append-system-prompt', thread);
      await stage.hears('we deploy on Tuesdays', thread);
      expect(await entries()).toMatchObject([{ source: 'user' }, { source: 'agent' }]);

      await stage.say(ben, '!invite {gus}', thread);
      await stage.hears('is in this session now', thread);
      await stage.say(gus, '!memory', thread);
      await stage.hears('Memory of this channel (2 entries)', thread);
      await stage.say(gus, '!memory forget 1', thread);
      await stage.hears('Forgetting is for people on the list of this bot', thread);
      await stage.say(ben, '!memory forget the tests', thread);
      await stage.hears('Forgotten: the tests run at noon', thread);
      await stage.say(ada, '!memory forget 1', thread);
      await stage.hears('Forgotten: we deploy on Tuesdays', thread);
      expect(await entries()).toEqual([]);
      await stage.finish(thread);
    });

    test('of four hundred entries is listed whole, within what a message of the platform holds', async () => {
      const { harness, ada } = stage;
      const facts = Array.from({ length: 400 }, (_, index) =>
        `fact ${index + 1}: ${'of many words '.repeat(index % 30)}`.trim(),
      );
      await stage.remembers(facts);
      const asked: Thread = await stage.begin(ada, '!memory');
      await stage.hears('!memory forget <n>.', asked);
      const posts = (await harness.posts(asked.channelId)).filter(
        ({ threadId, authorId }) => threadId === asked.threadId && authorId === harness.bot.id,
      );
      const { limit } = harness.platform.capabilities.message;
      for (const { text } of posts) expect([...text].length).toBeLessThanOrEqual(limit);
      const whole = posts.map(({ text }) => harness.readable(text)).join('\n');
      const listed = [...whole.matchAll(/fact (\d+):/g)].map(([, number]) => Number(number));
      expect(listed).toEqual(facts.map((_, index) => index + 1));
      await stage.begin(ada, '!memory forget all 400');
      await until(async () => (await entries()).length === 0, 'all is forgotten');
    });
  });
}
