import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Standing } from '../sessions/session.ts';
import { ALLOWED, BOT, OWNER, questionBench, SESSION_ID, STRANGER } from '../testing/index.ts';
import { ALLOW_ONCE, DENY, scoped } from './ask.ts';

/** One thing that happens while a question is open. */
type Event =
  | { readonly do: 'react'; readonly who: string; readonly emoji: string }
  | { readonly do: 'type'; readonly who: string }
  | { readonly do: 'console'; readonly option: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'cancel' | 'end' | 'tidy' | 'let_in' | 'put_out' };

const who = fc.constantFrom(OWNER.id, ALLOWED.id, STRANGER.id, BOT.id, 'nobody');

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('react' as const),
      who,
      emoji: fc.constantFrom('+1', 'thumbsup', '+1::skin-tone-2', '-1', 'eyes', 'white_check_mark'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('type' as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('console' as const),
      option: fc.constantFrom('allow', 'deny', 'x'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 30_000, 60_000, 119_999, 120_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Event>(
      { do: 'cancel' },
      { do: 'end' },
      { do: 'tidy' },
      { do: 'let_in' },
      { do: 'put_out' },
    ),
  },
);

describeEngines('whatever happens in whatever order', (engine) => {
  test('a question ends once, by one who may and before its deadline, with one line in the audit log', async () => {
    const at = await questionBench(engine);
    const { questions, platform, clock, audit, standings } = at;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        async (rounds) => {
          standings.delete(STRANGER.id);
          const linesBefore = audit.of('permission').length;
          const postsBefore = platform.posts.length;
          const deadlineMs = clock.nowMicroseconds() / 1_000 + 120_000;
          const cancel = new AbortController();
          /** What someone was at the moments they acted: anyone who was ever allowed may have been the one. */
          const everAllowed = new Set([OWNER.id, ALLOWED.id]);
          const decision = questions.ask(
            scoped(
              { ...at.scope, deadlineMs },
              {
                kind: 'permission',
                markdown: 'May I?',
                options: [ALLOW_ONCE, DENY],
                takesText: true,
                subject: { title: 'Permission', tool: 'Bash' },
              },
            ),
            cancel.signal,
          );
          await platform.botPost((post) => platform.posts.indexOf(post) >= postsBefore);
          const post = platform.posts[postsBefore]!;
          const [view] = await questions.list({ limit: 1 });
          const happen = async (each: Event): Promise<void> => {
            switch (each.do) {
              case 'react':
                return void (await questions.react(platform.id, post, each.who, each.emoji));
              case 'type':
                return void (await questions.answerTyped(SESSION_ID, each.who, 'words'));
              case 'console':
                return questions.answerFromConsole(view!.id, each.option, 'ops');
              case 'wait':
                return clock.advance(each.ms);
              case 'cancel':
                return cancel.abort();
              case 'end':
                return questions.withdrawOf(SESSION_ID, 'session_ended');
              case 'tidy':
                return questions.closeStale(platform.id);
              case 'let_in':
                everAllowed.add(STRANGER.id);
                return void standings.set(STRANGER.id, 'guest' satisfies Standing);
              case 'put_out':
                return void standings.delete(STRANGER.id);
            }
          };
          for (const round of rounds) await Promise.allSettled(round.map(happen));
          cancel.abort();
          const made = await decision;
          await questions.settled();

          const [row] = await questions.list({ limit: 1 });
          expect(row).toMatchObject({ id: view!.id, decision: made });
          expect(row?.state).not.toBe('open');
          if (made.kind === 'chosen' || made.kind === 'typed') {
            expect(row?.decidedMs).toBeLessThan(deadlineMs);
            if (made.by.via !== 'console') expect(everAllowed).toContain(made.by.id);
            if (made.kind === 'chosen') expect(['allow', 'deny']).toContain(made.option);
          }
          expect(audit.of('permission')).toHaveLength(linesBefore + 1);
          expect(platform.posts[postsBefore]?.text).toMatch(/\*\*(Allowed once|Denied|Answered)\*\*/);
          expect(await questions.openPosts(platform.id)).toEqual([]);
        },
      ),
      { numRuns: engine === 'sqlite' ? 150 : 40 },
    );
  });
});
