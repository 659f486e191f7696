import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditAction } from '../../src/audit/audit.ts';
import type { Person } from '../../src/platforms/platform.ts';
import type { HarnessPost } from '../../src/testing/platform-harness.ts';
import { OPERATOR } from '../running-service.ts';
import { type MakeHarness, openStage, patience, type Stage, type Thread } from './stage.ts';

type Role = 'owner' | 'allowed' | 'guest' | 'operator';

interface Kind {
  readonly kind: AuditAction;
  /** Who may, one after the other; the last of them says no. */
  readonly approvers: readonly Role[];
  /** Has it asked, with a word in the card by which it is known. */
  raise(stage: Stage, thread: Thread, word: string): Promise<unknown>;
  readonly yes: { readonly emoji: string; readonly option: string; readonly decided: string };
  readonly no: { readonly emoji: string; readonly option: string; readonly decided: string };
  readonly options: number;
  /** What comes of a yes, and of a no. */
  carriedOut(stage: Stage, thread: Thread, word: string): Promise<unknown>;
  refused(stage: Stage, thread: Thread, word: string): Promise<unknown>;
}

const asOwner = (stage: Stage, thread: Thread, steps: string) => stage.say(stage.ada, steps, thread);
const UP = { emoji: '+1', option: 'allow' };
const DOWN = { emoji: '-1', option: 'deny' };
const IN_SESSION: readonly Role[] = ['owner', 'allowed', 'guest', 'operator'];
const ON_THE_LIST: readonly Role[] = ['owner', 'allowed', 'operator'];

async function isTold(stage: Stage, thread: Thread, text: string): Promise<void> {
  await stage.hears(text, thread);
}

function proposal(kind: 'routine' | 'watch', draft: object): Kind {
  const many = kind === 'routine' ? 'routines' : 'watches';
  return {
    kind,
    approvers: ON_THE_LIST,
    raise: (stage, thread, word) =>
      asOwner(
        stage,
        thread,
        `[[call propose_${kind} ${JSON.stringify({ name: word, prompt: `do ${word}`, ...draft })}]] [[echo]]`,
      ),
    yes: { ...UP, decided: 'Approved' },
    no: { ...DOWN, decided: 'Denied' },
    options: 2,
    async carriedOut(stage, _thread, word) {
      await stage.hears(`The ${kind} ${word} is saved: `);
      await stage.hears(`!${many} lists them.`);
      const { data } = (await stage.call('GET', `/tasks?kind=${kind}`)).body;
      // Whoever approved it, it runs for whom the session belongs to.
      expect(data).toContainEqual(
        expect.objectContaining({ name: word, creator: expect.objectContaining({ id: stage.ada.id }) }),
      );
    },
    async refused(stage, _thread, word) {
      const { data } = (await stage.call('GET', `/tasks?kind=${kind}`)).body;
      expect(data).not.toContainEqual(expect.objectContaining({ name: word }));
    },
  };
}

const KINDS: readonly Kind[] = [
  {
    kind: 'permission',
    approvers: IN_SESSION,
    raise: (stage, thread, word) =>
      asOwner(stage, thread, `[[ask Bash {"command":"make ${word}"}]] [[echo]]`),
    yes: { ...UP, decided: 'Allowed once' },
    no: { ...DOWN, decided: 'Denied' },
    options: 3,
    carriedOut: (stage, thread, word) => isTold(stage, thread, `ran {"command":"make ${word}"}`),
    refused: (stage, thread) => isTold(stage, thread, `${OPERATOR} said no.`),
  },
  {
    kind: 'plan',
    approvers: IN_SESSION,
    raise: (stage, thread, word) =>
      asOwner(stage, thread, `[[ask ExitPlanMode {"plan":"First ${word}, then tea"}]] [[echo]]`),
    yes: { ...UP, decided: 'Plan approved' },
    no: { ...DOWN, decided: 'Plan not approved' },
    options: 2,
    carriedOut: (stage, thread, word) => isTold(stage, thread, `ran {"plan":"First ${word}, then tea"}`),
    refused: (stage, thread) => isTold(stage, thread, `${OPERATOR} did not approve the plan.`),
  },
  {
    kind: 'choice',
    approvers: IN_SESSION,
    raise: (stage, thread, word) => {
      const questions = [{ question: `Which ${word}?`, options: [{ label: 'Red' }, { label: 'Blue' }] }];
      return asOwner(stage, thread, `[[ask AskUserQuestion ${JSON.stringify({ questions })}]] [[echo]]`);
    },
    yes: { emoji: 'one', option: 'option_1', decided: 'Red' },
    no: { emoji: 'two', option: 'option_2', decided: 'Blue' },
    options: 2,
    carriedOut: (stage, thread, word) => isTold(stage, thread, `"answers":{"Which ${word}?":"Red"}`),
    refused: (stage, thread, word) => isTold(stage, thread, `"answers":{"Which ${word}?":"Blue"}`),
  },
  {
    kind: 'direct_message',
    approvers: IN_SESSION,
    raise(stage, thread, word) {
      // One has at most three in a session, of which a denied one is none.
      const recipient = (word.endsWith('operator') ? stage.gus : stage.ben).id;
      const call = JSON.stringify({ recipient, message: `psst ${word}` });
      return asOwner(stage, thread, `[[call send_dm ${call}]] [[echo]]`);
    },
    yes: { ...UP, decided: 'Allowed once' },
    no: { ...DOWN, decided: 'Denied' },
    options: 3,
    async carriedOut(stage, _thread, word) {
      const channelId = await stage.harness.openDirect(stage.ben);
      const { text } = await stage.hears(`psst ${word}`, { channelId });
      expect(text).toContain(`From ${stage.ada.name}'s agent session in`);
    },
    async refused(stage, thread, word) {
      await isTold(stage, thread, `${OPERATOR} said no.`);
      expect(
        await stage.count(`psst ${word}`, { channelId: await stage.harness.openDirect(stage.gus) }),
      ).toBe(0);
    },
  },
  {
    kind: 'outsider_message',
    approvers: ON_THE_LIST,
    raise: (stage, thread, word) => stage.say(stage.sam, `may I ${word}`, thread),
    yes: { emoji: '+1', option: 'once', decided: 'Message let in' },
    no: { ...DOWN, decided: 'Denied' },
    options: 3,
    carriedOut: (stage, thread, word) => isTold(stage, thread, `You said: [@sam]: may I ${word}`),
    async refused(stage, thread, word) {
      await asOwner(stage, thread, `[[say after ${word}]]`);
      await isTold(stage, thread, `after ${word}`);
      expect(await stage.count(`You said: [@sam]: may I ${word}`, thread)).toBe(0);
    },
  },
  proposal('routine', { schedule: { preset: 'weekly', weekday: 'monday', time: '09:00', timezone: 'UTC' } }),
  proposal('watch', { condition: 'nobody ever says so', keywords: ['zyzzyva'] }),
];

/** Every kind of question, asked by a session of ada's, and everybody who could answer it. */
export function whoDecides(makeHarness: MakeHarness): void {
  describe('who decides', () => {
    let stage: Stage;
    let thread: Thread;
    beforeAll(async () => {
      stage = await openStage(makeHarness);
      thread = await stage.begin(stage.ada, '[[say here I am]]');
      await stage.hears('here I am', thread);
      await stage.say(stage.ben, '!invite {gus}', thread);
      await stage.hears('is in this session now', thread);
    });
    afterAll(() => stage.close());

    const personOf: Record<Exclude<Role, 'operator'>, () => Person> = {
      owner: () => stage.ada,
      allowed: () => stage.ben,
      guest: () => stage.gus,
    };

    async function refusals(post: HarnessPost, title: string): Promise<string[]> {
      const lines = await stage.record('reaction_refused');
      return lines
        .filter(({ details, channel }) => channel === post.channelId && details.question === title)
        .map(({ actor }) => actor);
    }

    for (const kind of KINDS) {
      const words = kind.kind.replace('_', ' ');
      for (const role of kind.approvers) {
        const isNo = role === kind.approvers.at(-1);
        const choice = isNo ? kind.no : kind.yes;
        test(`a ${words} is decided by the ${role}, and by nobody who may not`, async () => {
          const word = `${kind.kind}-${role}`.replaceAll('_', '-');
          await kind.raise(stage, thread, word);
          const post = await stage.card(word, kind.options, { channelId: thread.channelId });
          const open = (await stage.questions('open')).filter(({ markdown }) => markdown.includes(word));
          expect(open).toMatchObject([{ kind: kind.kind, state: 'open' }]);
          const id = open[0]?.id ?? '';

          const others = [stage.sam, ...(kind.approvers.includes('guest') ? [] : [stage.gus])];
          for (const other of others) await stage.harness.react(other, post, kind.yes.emoji);
          await expect.poll(() => refusals(post, id), patience).toEqual(others.map((other) => other.id));
          if (role === 'operator') {
            const answer = { option: choice.option };
            expect((await stage.call('POST', `/questions/${id}/answer`, answer)).status).toBe(204);
          } else {
            const toned = choice.emoji === '+1' ? stage.harness.withSkinTone('+1') : choice.emoji;
            await stage.harness.react(personOf[role](), post, 'eyes');
            await stage.harness.react(personOf[role](), post, toned);
          }

          await (isNo ? kind.refused : kind.carriedOut)(stage, thread, word);
          const by = role === 'operator' ? `${OPERATOR} in the console` : personOf[role]().name;
          await expect.poll(() => stage.reads(post), patience).toContain(`${choice.decided} by ${by}`);
          const actor = role === 'operator' ? `console:${OPERATOR}` : personOf[role]().id;
          const lines = (await stage.record(kind.kind)).filter(({ details }) => details.question === id);
          expect(lines).toMatchObject([
            {
              actor,
              details: { decision: choice.option, via: role === 'operator' ? 'console' : 'reaction' },
            },
          ]);
          expect(await stage.questions('open')).toEqual([]);
        });
      }
    }

    test('nobody decides after the deadline', async () => {
      await asOwner(stage, thread, '[[ask Bash {"command":"make haste"}]] [[echo]]');
      const post = await stage.card('make haste');
      stage.clock.forward(121_000);
      await stage.hears('Nobody answered in time, so it was not allowed.', thread);
      await expect
        .poll(() => stage.reads(post), patience)
        .toContain('nobody answered before the time was up');
      await stage.harness.react(stage.ada, post, '+1');
      const late = async () =>
        (await stage.record('reaction_refused')).filter(({ details }) => details.reason === 'late');
      await expect
        .poll(late, patience)
        .toMatchObject([{ actor: stage.ada.id, details: { option: 'allow' } }]);
      expect(await stage.count('ran {"command":"make haste"}')).toBe(0);
    });

    test('✅ is for one tool', async () => {
      await asOwner(stage, thread, '[[ask Write {"file_path":"one"}]] [[echo]]');
      await stage.harness.react(
        stage.gus,
        await stage.card('Permission requested: Write one'),
        'white_check_mark',
      );
      await stage.hears('ran {"file_path":"one"}', thread);
      await asOwner(
        stage,
        thread,
        '[[ask Write {"file_path":"two"}]] [[echo]] [[ask Edit {"file_path":"three"}]]',
      );
      await stage.hears('ran {"file_path":"two"}', thread);
      await stage.harness.react(stage.gus, await stage.card('Permission requested: Edit three'), '-1');
      expect(await stage.count('Permission requested: Write two')).toBe(0);
      await stage.finish(thread);
    });
  });
}
