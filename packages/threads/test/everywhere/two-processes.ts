import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATOR, type RunningService } from '../running-service.ts';
import { type MakeHarness, openStage, patience, type Stage, until } from './stage.ts';

/** Two processes on one PostgreSQL, of which one has the platform. */
export function twoProcesses(makeHarness: MakeHarness): void {
  describe('of two processes', () => {
    let stage: Stage;
    let other: RunningService;
    beforeAll(async () => {
      stage = await openStage(makeHarness, { engine: 'postgres' });
      other = await stage.another();
    });
    afterAll(() => stage.close());

    async function answerElsewhere(word: string, option: string): Promise<void> {
      const open = (await other.call('GET', '/questions?state=open')).body.data;
      const { id } = open.find(({ markdown }: { markdown: string }) => markdown.includes(word));
      expect((await other.call('POST', `/questions/${id}/answer`, { option })).status).toBe(204);
    }

    test('the other takes an operator’s answers, then the platform, and everything happens once', async () => {
      const { harness, ada, clock } = stage;
      expect(other.threads.health()).toMatchObject([{ status: 'standby' }]);
      const thread = await stage.begin(ada, '[[ask Bash {"command":"make one"}]] [[echo]]');
      const card = await stage.card('make one');
      await answerElsewhere('make one', 'allow');
      await stage.hears('ran {"command":"make one"}', thread);
      await expect
        .poll(() => stage.reads(card), patience)
        .toContain(`Allowed once by ${OPERATOR} in the console`);

      const schedule = { preset: 'hourly', time: '00:07' };
      const propose = (name: string) =>
        `[[call propose_routine ${JSON.stringify({ name, prompt: 'write it', schedule })}]]`;
      await stage.say(
        ada,
        `${propose('kept')} ${propose('lost')} [[ask Bash {"command":"make two"}]]`,
        thread,
      );
      const [lost, second] = [await stage.card('lost', 2), await stage.card('make two')];
      await stage.card('kept', 2);
      await answerElsewhere('kept', 'allow');
      await stage.hears('The routine kept is saved');

      await stage.leave();
      await until(() => other.threads.health()[0]?.status === 'ok', 'the other has the platform');
      for (const closed of [lost, second]) {
        await expect.poll(() => stage.reads(closed), patience).toContain('Denied: ');
        await harness.react(ada, closed, '+1');
      }
      await stage.say(ada, 'still there?', thread);
      await stage.hears('You said: still there?', thread);

      const nowMs = Math.floor(clock.nowMicroseconds() / 1_000);
      clock.forward(3_600_000 - ((nowMs - 7 * 60_000) % 3_600_000) + 2_000);
      await stage.hears('Unattended session of the routine kept');
      const tasks = async () => (await other.call('GET', '/tasks?kind=routine')).body.data;
      const outcome = async () => (await tasks())[0]?.runs[0]?.outcome;
      await expect.poll(outcome, patience).toBe('succeeded');
      expect(await tasks()).toMatchObject([{ name: 'kept', runs: [{}] }]);
      expect(await stage.count('Unattended session')).toBe(1);
      expect(await stage.count('is saved')).toBe(1);
      expect(await stage.count('You said: still there?', thread)).toBe(1);
      const decided = (await stage.record('permission')).map(({ actor }) => actor);
      expect(decided).toEqual([`console:${OPERATOR}`, 'system']);
    });
  });
}
