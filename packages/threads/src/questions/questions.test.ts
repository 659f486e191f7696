import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import type { Post } from '../platforms/platform.ts';
import {
  ALLOWED,
  BOT,
  fakePlatform,
  OWNER,
  type QuestionBench,
  type QuestionBenchOptions,
  questionBench,
  SESSION_ID,
  STRANGER,
} from '../testing/index.ts';
import { ALLOW_ONCE, DENY, scoped } from './ask.ts';
import type { Decision, NewQuestion } from './question.ts';
import { MOST_OPEN } from './questions.ts';
import { closeRow } from './records.ts';

const never = new AbortController().signal;

function newQuestion(bench: QuestionBench, more: Partial<NewQuestion> = {}): NewQuestion {
  return {
    ...scoped(bench.scope, {
      kind: 'permission',
      markdown: 'May I?',
      options: [ALLOW_ONCE, { key: 'always', emoji: 'white_check_mark', label: 'Always' }, DENY],
      takesText: false,
      subject: { title: 'Permission for Bash', tool: 'Bash', inputHash: 'hash' },
    }),
    ...more,
  };
}

/** Asks and waits until people can see all options. */
async function asked(bench: QuestionBench, more: Partial<NewQuestion> = {}, signal = never) {
  const question = newQuestion(bench, more);
  const before = new Set(bench.platform.posts.map(({ postId }) => postId));
  const decision = bench.questions.ask(question, signal);
  const post = await bench.platform.botPost(
    (each) =>
      !before.has(each.postId) &&
      (bench.platform.reactionsOn.get(each.postId) ?? []).length === question.options.length,
  );
  return { decision, post };
}

const textOf = (bench: QuestionBench, { postId }: Post) =>
  bench.platform.posts.find((post) => post.postId === postId)?.text;

describeEngines('a question', (engine) => {
  const bench = (options: QuestionBenchOptions = {}) => questionBench(engine, options);

  test('is posted with its options below it, in their order', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    expect(post.text).toBe('May I?\n\n👍 Allow once · ✅ Always · 👎 Deny');
    expect(at.platform.reactionsOn.get(post.postId)).toEqual(
      ['+1', 'white_check_mark', '-1'].map((emoji) => ({ emoji, personId: BOT.id })),
    );
    await at.platform.reactAs(OWNER, post, '+1');
    await decision;
  });

  test('is decided by the reaction of an approver, and its post says by whom', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    await at.platform.reactAs(ALLOWED, post, '+1');
    expect(await decision).toEqual({
      kind: 'chosen',
      option: 'allow',
      by: { id: ALLOWED.id, name: ALLOWED.name, via: 'reaction' },
    });
    await at.questions.settled();
    expect(textOf(at, post)).toBe('May I?\n\n👍 **Allowed once** by alan');
  });

  test('leaves one line in the audit log, with the person and the tool', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    await at.platform.reactAs(OWNER, post, '-1');
    await decision;
    expect(at.audit.entries).toEqual([
      {
        platformId: 'fake',
        action: 'permission',
        sessionId: SESSION_ID,
        channelId: 'main',
        threadId: 'root',
        actor: OWNER.id,
        actorName: OWNER.name,
        tool: 'Bash',
        details: {
          question: expect.stringMatching(/^qst_/),
          title: 'Permission for Bash',
          input_hash: 'hash',
          decision: 'deny',
          via: 'reaction',
        },
      },
    ]);
  });

  test('takes a thumb of any colour for the thumb', async () => {
    const at = await bench();
    for (const emoji of ['+1::skin-tone-4', '+1_medium_light_skin_tone', 'thumbsup']) {
      const { decision, post } = await asked(at);
      await at.platform.reactAs(OWNER, post, emoji);
      expect(await decision).toMatchObject({ kind: 'chosen', option: 'allow' });
    }
  });

  test('is not answered by another emoji, by a stranger, by a bot or on another post', async () => {
    const at = await bench();
    const robot = { id: 'robot', name: 'robot', isBot: true };
    at.platform.addPerson(robot);
    at.standings.set(robot.id, 'allowed').set(BOT.id, 'allowed');
    const { decision, post } = await asked(at);
    const other = await at.platform.say(OWNER, 'something else');
    await at.platform.reactAs(OWNER, post, 'eyes');
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(robot, post, '+1');
    await at.questions.react('fake', post, BOT.id, '+1');
    await at.platform.reactAs(OWNER, other, '+1');
    await at.platform.deliver({ kind: 'unreacted', ref: post, personId: OWNER.id, emoji: '+1' });
    expect(await at.questions.react('elsewhere', post, OWNER.id, '+1')).toBe(false);
    expect(await at.questions.react('fake', { ...post, channelId: 'other' }, OWNER.id, '+1')).toBe(false);
    expect(await at.questions.list({ state: 'open', limit: 10 })).toHaveLength(1);
    await at.platform.reactAs(OWNER, post, '-1');
    expect(await decision).toMatchObject({ option: 'deny' });
  });

  test('records a refused reaction once, and stays open for whoever may', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(STRANGER, post, 'eyes');
    expect(at.audit.of('reaction_refused')).toEqual([
      expect.objectContaining({
        actor: STRANGER.id,
        tool: 'Bash',
        details: expect.objectContaining({ option: 'allow', reason: 'no_approver' }),
      }),
    ]);
    at.standings.set(STRANGER.id, 'guest');
    await at.platform.reactAs(STRANGER, post, '+1');
    expect(await decision).toMatchObject({ option: 'allow', by: { id: STRANGER.id } });
  });

  test('of the owner alone is answered by the owner and those the owner invited', async () => {
    const at = await bench({ approvers: 'owner' });
    const guest = { id: 'u-guest', name: 'gina', isBot: false };
    at.platform.addPerson(guest);
    at.standings.set(guest.id, 'guest');
    const { decision, post } = await asked(at);
    expect(post.text).toContain('👎 Deny\nWhoever began this session decides, and whom they invited');
    await at.platform.reactAs(ALLOWED, post, '+1');
    at.invitedBy.set(guest.id, ALLOWED.id);
    await at.platform.reactAs(guest, post, '+1');
    expect(at.audit.of('reaction_refused').map(({ actor }) => actor)).toEqual([ALLOWED.id, guest.id]);
    at.invitedBy.set(guest.id, OWNER.id);
    await at.platform.reactAs(guest, post, '+1');
    expect(await decision).toMatchObject({ by: { id: guest.id } });
    await at.questions.settled();
    expect(textOf(at, post)).toBe('May I?\n\n👍 **Allowed once** by gina');
  });

  test('about who may come in is no guest’s to answer', async () => {
    const at = await bench({ approvers: 'owner_or_allowed' });
    at.standings.set(STRANGER.id, 'guest');
    const { decision, post } = await asked(at);
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(ALLOWED, post, '-1');
    expect(await decision).toMatchObject({ option: 'deny', by: { id: ALLOWED.id } });
  });

  test('counts a reaction that came before its post was on record', async () => {
    const at = await bench();
    const { post } = at.platform;
    at.platform.post = async (message) => {
      const ref = await post(message);
      await at.platform.reactAs(OWNER, ref, '+1');
      return ref;
    };
    expect(await at.questions.ask(newQuestion(at), never)).toMatchObject({ option: 'allow' });
  });

  test('takes a no of several early reactions', async () => {
    const at = await bench();
    const { post } = at.platform;
    at.platform.post = async (message) => {
      const ref = await post(message);
      await at.platform.reactAs(OWNER, ref, '+1');
      await at.platform.reactAs(OWNER, ref, '-1');
      return ref;
    };
    expect(await at.questions.ask(newQuestion(at), never)).toMatchObject({ option: 'deny' });
  });

  test('finds early reactions although the platform fails at first', async () => {
    const at = await bench();
    const { post, reactions } = at.platform;
    let failures = 2;
    at.platform.post = async (message) => {
      const ref = await post(message);
      await at.platform.reactAs(OWNER, ref, '+1');
      return ref;
    };
    at.platform.reactions = async (ref) => {
      failures -= 1;
      if (failures >= 0) throw new Error('not now');
      return reactions(ref);
    };
    const decision = at.questions.ask(newQuestion(at), never);
    // Beside the pause before the next look, the question waits for its deadline.
    await at.clock.untilSleeping(2);
    await at.clock.advance(1_000);
    await at.clock.untilSleeping(2);
    await at.clock.advance(5_000);
    expect(await decision).toMatchObject({ option: 'allow' });
  });

  test('that is too long for a post takes several, the options below the last', async () => {
    const at = await bench({ platform: fakePlatform({ limit: 200 }) });
    const markdown = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
    const { decision, post } = await asked(at, { markdown });
    const said = at.platform.posts.map(({ text }) => text).join('');
    for (const line of markdown.split('\n')) expect(said).toContain(line);
    expect(at.platform.posts.length).toBeGreaterThan(2);
    expect(post).toEqual(at.platform.posts.at(-1));
    await at.platform.reactAs(OWNER, post, '+1');
    await decision;
    await at.questions.settled();
    expect(textOf(at, post)).toContain('line 59\n\n👍 **Allowed once** by olga');
  });

  test('says in a reply what was decided when its post cannot be edited', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    at.platform.failNext('edit', 'refused');
    await at.platform.reactAs(OWNER, post, '+1');
    await decision;
    await at.questions.settled();
    expect(at.platform.posts.at(-1)).toMatchObject({
      threadId: 'root',
      text: 'Permission for Bash\n👍 **Allowed once** by olga',
    });
  });

  test('expires at its deadline as a no', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    await at.clock.advance(120_000);
    expect(await decision).toEqual({ kind: 'expired' });
    await at.questions.settled();
    expect(textOf(at, post)).toContain('**Denied**: nobody answered');
    expect(at.audit.of('permission')).toEqual([
      expect.objectContaining({ actor: 'system', details: expect.objectContaining({ decision: 'expired' }) }),
    ]);
    await at.questions.react('fake', post, OWNER.id, '+1');
    expect(at.audit.of('reaction_refused')).toMatchObject([{ actor: OWNER.id, details: { reason: 'late' } }]);
  });

  test('is not answered at its deadline, even where nobody has looked at the clock yet', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    at.clock.set(at.scope.deadlineMs * 1_000);
    await at.platform.reactAs(OWNER, post, '+1');
    expect(at.audit.of('reaction_refused')).toEqual([
      expect.objectContaining({ actor: OWNER.id, details: expect.objectContaining({ reason: 'late' }) }),
    ]);
    await at.clock.advance(5_000);
    expect(await decision).toEqual({ kind: 'expired' });
  });

  test('that is decided puts later answers of others on record as too late', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    await at.platform.reactAs(OWNER, post, '-1');
    await decision;
    await at.questions.react('fake', post, OWNER.id, '-1');
    await at.questions.react('fake', post, BOT.id, '+1');
    expect(at.audit.of('reaction_refused')).toEqual([]);
    await at.platform.reactAs(ALLOWED, post, '+1');
    expect(at.audit.of('reaction_refused')).toMatchObject([
      { actor: ALLOWED.id, details: { reason: 'late' } },
    ]);
  });

  test('is withdrawn when whoever asked no longer waits', async () => {
    const at = await bench();
    const cancel = new AbortController();
    const { decision, post } = await asked(at, {}, cancel.signal);
    cancel.abort();
    expect(await decision).toEqual({ kind: 'withdrawn', reason: 'cancelled' });
    await at.questions.settled();
    expect(textOf(at, post)).toContain('**Denied**: the agent no longer waits');
    expect(await at.questions.list({ limit: 10 })).toEqual([
      expect.objectContaining({ state: 'withdrawn', decision: { kind: 'withdrawn', reason: 'cancelled' } }),
    ]);
  });

  test('tells why it was withdrawn', async () => {
    const at = await bench();
    const cancel = new AbortController();
    const first = await asked(at, {}, cancel.signal);
    const second = await asked(at);
    cancel.abort('restarted');
    expect(await first.decision).toEqual({ kind: 'withdrawn', reason: 'restarted' });
    await at.questions.withdrawOf(SESSION_ID, 'session_ended');
    expect(await second.decision).toEqual({ kind: 'withdrawn', reason: 'session_ended' });
    await at.questions.settled();
    expect(textOf(at, second.post)).toContain('the session has ended');
  });

  test('is not asked when it was cancelled before', async () => {
    const at = await bench();
    expect(await at.questions.ask(newQuestion(at), AbortSignal.abort())).toEqual({
      kind: 'withdrawn',
      reason: 'cancelled',
    });
    expect(at.platform.posts).toEqual([]);
  });

  test('that could not be posted is closed, and whoever asked hears of it', async () => {
    const at = await bench({ platform: fakePlatform({ limit: 100 }) });
    const { post } = at.platform;
    let left = 1;
    at.platform.post = async (message) => {
      if (left === 0) at.platform.failNext('post', 'unavailable');
      left -= 1;
      return post(message);
    };
    const question = newQuestion(at, { markdown: 'word '.repeat(60) });
    await expect(at.questions.ask(question, never)).rejects.toMatchObject({ code: 'unavailable' });
    expect(at.platform.posts).toEqual([]);
    expect(await at.questions.list({ state: 'open', limit: 10 })).toEqual([]);
    expect(at.audit.of('permission')).toHaveLength(1);
  });

  test('is closed as denied after a restart, its post says so, and a late reaction does nothing', async () => {
    const at = await bench();
    const { post } = await asked(at);
    const after = await at.restarted();
    await after.closeStale('fake');
    await after.settled();
    expect(textOf(at, post)).toContain('**Denied**: the bot was restarted');
    expect(at.audit.of('permission')).toEqual([
      expect.objectContaining({
        actor: 'system',
        tool: 'Bash',
        details: expect.objectContaining({ decision: 'withdrawn', reason: 'restarted' }),
      }),
    ]);
    for (const emoji of ['eyes', '+1::skin-tone-3', '+1']) await after.react('fake', post, OWNER.id, emoji);
    expect(at.audit.of('reaction_refused')).toEqual([
      expect.objectContaining({
        actor: OWNER.id,
        tool: 'Bash',
        details: expect.objectContaining({ option: 'allow', reason: 'late' }),
      }),
    ]);
    expect(await after.list({ limit: 10 })).toMatchObject([{ state: 'withdrawn' }]);
    expect(await after.openPosts('fake')).toEqual([]);
  });

  test('that may or may not be posted when the process died is told of after the restart', async () => {
    const at = await bench();
    let reached = () => {};
    const isPosting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    at.platform.post = () => {
      reached();
      return new Promise(() => {});
    };
    void at.questions.ask(newQuestion(at), never);
    await isPosting;
    const { post } = fakePlatform();
    at.platform.post = post;
    const told: string[] = [];
    at.platform.post = async ({ channelId, markdown }) => {
      told.push(markdown);
      return { channelId, postId: 'reply' };
    };
    const after = await at.restarted();
    await after.closeStale('fake');
    await after.settled();
    expect(told).toEqual([expect.stringMatching(/^Permission for Bash\n.*the bot was restarted/)]);
  });

  test('that was closed when the process died is on record after the restart, and its post says so', async () => {
    const at = await bench();
    const { post } = await asked(at);
    const [{ id } = { id: '' }] = await at.questions.list({ limit: 1 });
    const by = { id: 'console:ops', name: 'ops', via: 'console' } as const;
    // As of a process that is killed between its update and all that follows it.
    await closeRow(at.store, id, { kind: 'chosen', option: 'allow', by }, at.clock.nowMicroseconds());
    const after = await at.restarted();
    for (let start = 1; start <= 2; start += 1) {
      await after.closeStale('fake');
      await after.settled();
    }
    expect(textOf(at, post)).toContain('**Allowed once** by ops in the console');
    expect(at.audit.of('permission')).toEqual([
      expect.objectContaining({
        actor: 'console:ops',
        details: expect.objectContaining({ decision: 'allow' }),
      }),
    ]);
  });

  test('is told of where it was asked, though the platform is let go of meanwhile', async () => {
    const at = await bench();
    const cancel = new AbortController();
    const { post, decision } = await asked(at, {}, cancel.signal);
    at.letGo();
    cancel.abort();
    await at.questions.settled();
    expect(await decision).toEqual({ kind: 'withdrawn', reason: 'cancelled' });
    expect(textOf(at, post)).toContain('**Denied**: the agent no longer waits');
  });

  test('whose post cannot be edited is told of by a title that is no markup, whoever chose its words', async () => {
    const at = await bench();
    const title = 'routine [here](https://evil.example) \u202e**x**';
    const { post, decision } = await asked(at, { subject: { title } });
    at.platform.failNext('edit', 'refused');
    await at.platform.reactAs(OWNER, post, '+1');
    await decision;
    await at.questions.settled();
    expect(at.platform.posts.at(-1)?.text).toBe(
      `routine \\[here\\](https://evil.example) \\\\u{202e}\\*\\*x\\*\\*\n👍 **Allowed once** by ${OWNER.name}`,
    );
  });

  test('stays open when the same process tidies up what is stale', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    await at.questions.closeStale('fake');
    await at.platform.reactAs(OWNER, post, '+1');
    expect(await decision).toMatchObject({ option: 'allow' });
  });

  test('is answered in the console with the same record', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    const [view] = await at.questions.list({ state: 'open', limit: 10 });
    await expect(at.questions.answerFromConsole(view!.id, 'perhaps', 'ops')).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await at.questions.answerFromConsole(view!.id, 'allow', 'ops');
    expect(await decision).toMatchObject({ option: 'allow', by: { id: 'console:ops', via: 'console' } });
    await at.questions.settled();
    expect(textOf(at, post)).toBe('May I?\n\n👍 **Allowed once** by ops in the console');
    expect(at.audit.of('permission')).toMatchObject([{ actor: 'console:ops', tool: 'Bash' }]);
    await expect(at.questions.answerFromConsole(view!.id, 'deny', 'ops')).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await expect(at.questions.answerFromConsole('qst_none', 'deny', 'ops')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is answered in the console of another process too', async () => {
    const at = await bench();
    const { decision } = await asked(at);
    const other = await at.restarted();
    const [view] = await other.list({ state: 'open', limit: 10 });
    await other.answerFromConsole(view!.id, 'deny', 'ops');
    let isDecided = false;
    void decision.then(() => {
      isDecided = true;
    });
    while (!isDecided) await at.clock.advance(1_000);
    expect(await decision).toMatchObject({ option: 'deny', by: { id: 'console:ops' } });
    expect(at.audit.of('permission')).toHaveLength(1);
  });

  test('is answered in writing where that is asked for, by those who may', async () => {
    const at = await bench();
    const plain = await asked(at);
    expect(await at.questions.answerTyped(SESSION_ID, OWNER.id, 'yes')).toBe(false);
    const { decision } = await asked(at, { kind: 'choice', takesText: true });
    expect(await at.questions.answerTyped('other', OWNER.id, 'blue')).toBe(false);
    expect(await at.questions.answerTyped(SESSION_ID, STRANGER.id, 'blue')).toBe(false);
    expect(await at.questions.answerTyped(SESSION_ID, OWNER.id, '  ')).toBe(false);
    expect(await at.questions.answerTyped(SESSION_ID, OWNER.id, ' blue ')).toBe(true);
    expect(await decision).toEqual({
      kind: 'typed',
      text: 'blue',
      by: { id: OWNER.id, name: OWNER.name, via: 'typed' },
    });
    expect(await at.questions.answerTyped(SESSION_ID, OWNER.id, 'red')).toBe(false);
    await at.questions.withdrawOf(SESSION_ID, 'session_ended');
    await plain.decision;
  });

  test('is answered in writing as soon as it can be read', async () => {
    const at = await bench();
    const decision = at.questions.ask(newQuestion(at, { kind: 'choice', takesText: true }), never);
    await at.platform.botPost(() => true);
    expect(await at.questions.answerTyped(SESSION_ID, OWNER.id, 'blue')).toBe(true);
    expect(await decision).toMatchObject({ kind: 'typed', text: 'blue' });
  });

  test('is answered by a command under the same rule', async () => {
    const at = await bench();
    expect(await at.questions.choose(SESSION_ID, 'plan', 'allow', OWNER.id)).toBe('none_open');
    const { decision } = await asked(at, { kind: 'plan' });
    expect(await at.questions.choose(SESSION_ID, 'plan', 'allow', STRANGER.id)).toBe('refused');
    expect(await at.questions.choose(SESSION_ID, 'plan', 'allow', OWNER.id)).toBe('decided');
    expect(await decision).toMatchObject({ option: 'allow', by: { id: OWNER.id, via: 'typed' } });
    expect(at.audit.entries.map(({ action }) => action)).toEqual(['reaction_refused', 'plan']);
  });

  test('of a newer plan takes the place of the older', async () => {
    const at = await bench();
    const older = await asked(at, { kind: 'plan' });
    const newer = await asked(at, { kind: 'plan' });
    expect(await older.decision).toEqual({ kind: 'withdrawn', reason: 'superseded' });
    await at.platform.reactAs(OWNER, newer.post, '+1');
    expect(await newer.decision).toMatchObject({ option: 'allow' });
  });

  test('is kept apart from others that are open', async () => {
    const at = await bench();
    const all = [await asked(at), await asked(at), await asked(at)];
    expect(await at.questions.openPosts('fake')).toHaveLength(3);
    await at.platform.reactAs(OWNER, all[2]!.post, '+1');
    await at.platform.reactAs(OWNER, all[0]!.post, '-1');
    await at.platform.reactAs(OWNER, all[1]!.post, 'white_check_mark');
    const decisions = await Promise.all(all.map(({ decision }) => decision));
    expect(decisions.map((each) => each.kind === 'chosen' && each.option)).toEqual([
      'deny',
      'always',
      'allow',
    ]);
  });

  test('is not asked when too many of the session are open', async () => {
    const at = await bench();
    const stop = new AbortController();
    const open = Array.from({ length: MOST_OPEN }, () => at.questions.ask(newQuestion(at), stop.signal));
    await expect(at.questions.ask(newQuestion(at), never)).rejects.toMatchObject({ code: 'refused' });
    stop.abort();
    expect((await Promise.all(open)).every(({ kind }) => kind === 'withdrawn')).toBe(true);
  });

  test('is decided once, whoever races', async () => {
    const at = await bench();
    const { decision, post } = await asked(at);
    const [view] = await at.questions.list({ state: 'open', limit: 1 });
    await Promise.allSettled([
      at.platform.reactAs(OWNER, post, '+1'),
      at.platform.reactAs(ALLOWED, post, '-1'),
      at.questions.answerFromConsole(view!.id, 'always', 'ops'),
      at.questions.withdrawOf(SESSION_ID, 'session_ended'),
    ]);
    const made: Decision = await decision;
    await at.questions.settled();
    const [row] = await at.questions.list({ limit: 1 });
    expect(row?.decision).toEqual(made);
    expect(at.audit.of('permission')).toHaveLength(1);
  });
});
