import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HarnessPost } from '../../src/testing/platform-harness.ts';
import { type MakeHarness, openStage, patience, type Stage, until } from './stage.ts';

/** Everything that can be asked at a time, as the steps of one turn. */
const ALL_AT_ONCE = (recipient: string) =>
  JSON.stringify([
    'ask Bash {"command":"make permission"}',
    'ask ExitPlanMode {"plan":"The plan of before"}',
    'ask AskUserQuestion {"questions":[{"question":"Which of before?","options":[{"label":"Red"}]}]}',
    `call send_dm ${JSON.stringify({ recipient, message: 'psst before' })}`,
    'call propose_routine {"name":"routine-of-before","prompt":"x","schedule":{"preset":"hourly","time":"00:07"}}',
    'call propose_watch {"name":"watch-of-before","prompt":"x","condition":"y","keywords":["zyzzyva"]}',
  ]);

const CARDS = [
  ['make permission', 3],
  ['The plan of before', 2],
  ['Which of before?', 1],
  ['psst before', 3],
  ['routine-of-before', 2],
  ['watch-of-before', 2],
] as const;

/** A process that goes between a question and its answer. */
export function restarts(makeHarness: MakeHarness): void {
  describe('a restart between question and answer', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(makeHarness);
    });
    afterAll(() => stage.close());

    test('closes all that was open as denied, runs nothing on what people answer then, and asks about an outsider anew', async () => {
      const { harness, ada, sam } = stage;
      const thread = await stage.begin(ada, `[[together ${ALL_AT_ONCE(stage.ben.id)}]] [[say all decided]]`);
      const cards: HarnessPost[] = [];
      for (const [text, options] of CARDS) cards.push(await stage.card(text, options));
      await stage.say(sam, 'may I come in', thread);
      const asked = await stage.card('may I come in');
      expect(await stage.questions('open')).toHaveLength(7);

      // Answered while nobody listens: in vain, since whoever asked is gone.
      await stage.restart(async () => {
        for (const card of [...cards, asked]) await harness.react(ada, card, '+1');
        await harness.react(ada, cards[2] as HarnessPost, 'one');
        await stage.say(ada, 'I am back', thread);
      });

      for (const card of [...cards, asked]) {
        await expect.poll(() => stage.reads(card), patience).toMatch(/(?:Denied|Closed): /);
      }
      await stage.hears('You said: I am back', thread);
      // What was written by an outsider is kept, and has a card of its own again.
      await until(async () => (await stage.count('may I come in', thread)) === 2, 'it is asked anew');
      expect(await stage.questions('open')).toMatchObject([{ kind: 'outsider_message' }]);

      for (const card of [...cards, asked]) await harness.react(ada, card, '-1');
      for (const card of [...cards, asked]) await harness.react(stage.ben, card, '+1');
      const late = async () =>
        (await stage.record('reaction_refused')).filter(
          ({ actor, details }) => actor === stage.ben.id && details.reason === 'late',
        );
      // The question with numbers has no thumb.
      await expect.poll(async () => (await late()).length, patience).toBe(6);
      for (const ran of ['all decided', 'is saved', 'ran {"command":"make permission"}']) {
        expect(await stage.count(ran)).toBe(0);
      }
      expect(await stage.count('psst before', { channelId: await harness.openDirect(stage.ben) })).toBe(0);
      for (const kind of ['routine', 'watch']) {
        expect((await stage.call('GET', `/tasks?kind=${kind}`)).body.data).toEqual([]);
      }
      const lines = await stage.record();
      for (const kind of ['permission', 'plan', 'choice', 'direct_message', 'routine', 'watch']) {
        expect(lines.filter(({ action }) => action === kind)).toMatchObject([
          { actor: 'system', details: { decision: 'withdrawn' } },
        ]);
      }

      await harness.react(ada, await stage.card('may I come in'), '+1');
      await stage.hears('You said: [@sam]: may I come in', thread);
      await stage.finish(thread);
    });

    test('answers what was written meanwhile once and in order, and goes on with what was said before', async () => {
      const { ada } = stage;
      const thread = await stage.begin(ada, 'one');
      await stage.hears('You said: one', thread);
      await stage.restart(async () => {
        for (const text of ['two', 'three', 'four']) await stage.say(ada, text, thread);
      });
      await stage.say(ada, '[[history]]', thread);
      await stage.hears('["one","two","three","four","[[history]]"]', thread);
      for (const text of ['one', 'two', 'three', 'four']) {
        expect(await stage.count(`You said: ${text}`, thread)).toBe(1);
      }
      await stage.finish(thread);
    });
  });
}
