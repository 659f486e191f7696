import { describe, expect, test } from 'vitest';
import type { Post } from '../platforms/platform.ts';
import { ALLOWED, fakePlatform, OWNER, STRANGER } from '../testing/index.ts';
import { type ToolBench, toolBench } from '../testing/tool-bench.ts';

const PROMPT = 'permission_prompt';
const bash = { tool_name: 'Bash', input: { command: 'ls -la' } };
const allowed = (updatedInput: object) => ({ behavior: 'allow', updatedInput });
const denied = (text: string | RegExp) => ({ behavior: 'deny', message: expect.stringMatching(text) });

/** The question that holds the text, once its options hang below it. */
const question = (at: ToolBench, text: string, options = 3): Promise<Post> =>
  at.platform.botPost(
    (post) => post.text.includes(text) && at.platform.reactionsOn.get(post.postId)?.length === options,
  );

describe('permission for a tool', () => {
  test.each([
    ['+1', allowed(bash.input)],
    ['white_check_mark', allowed(bash.input)],
    ['-1', denied('olga said no')],
  ])('is decided by %s in the thread', async (emoji, answer) => {
    const at = await toolBench();
    const asked = at.run(PROMPT, bash);
    const post = await question(at, 'ls -la');
    expect(post).toMatchObject({ channelId: 'main', threadId: 'p1' });
    await at.platform.reactAs(OWNER, post, emoji);
    expect(await asked).toEqual(answer);
  });

  test('given by ✅ covers that tool and no other', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, bash);
    await at.platform.reactAs(ALLOWED, await question(at, 'ls -la'), 'white_check_mark');
    await asked;
    const input = { command: 'rm -rf /' };
    expect(await at.run(PROMPT, { ...bash, input })).toEqual(allowed(input));
    const other = at.run(PROMPT, { tool_name: 'Write', input: { file_path: '/a', content: 'b' } });
    await at.platform.reactAs(OWNER, await question(at, 'Write'), '-1');
    expect(await other).toEqual(denied('no'));
  });

  test('is not given by strangers, nor by other emoji; a thumb of any colour counts', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, bash);
    const post = await question(at, 'ls -la');
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(OWNER, post, 'eyes');
    await at.platform.reactAs(OWNER, post, '+1::skin-tone-3');
    expect(await asked).toEqual(allowed(bash.input));
  });

  test('is denied when nobody answers in time', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, bash);
    await question(at, 'ls -la');
    await at.clock.advance(120_000);
    expect(await asked).toEqual(denied('Nobody answered'));
  });

  test('is answered ten seconds before the agent’s program gives up, however long people may take', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, bash, { permissionTimeoutMs: 86_400_000 });
    await question(at, 'ls -la');
    await at.clock.advance(3_590_000);
    expect(await asked).toEqual(denied('Nobody answered'));
  });

  test('is withdrawn with the call; what comes later runs nothing', async () => {
    const at = await toolBench();
    const abort = new AbortController();
    const asked = at.run(PROMPT, bash, { signal: abort.signal });
    const post = await question(at, 'ls -la');
    abort.abort();
    expect(await asked).toMatchObject({ behavior: 'deny' });
    await at.platform.reactAs(OWNER, post, '+1');
    await at.questions.settled();
    expect(at.platform.posts.find(({ postId }) => postId === post.postId)?.text).toContain('Denied');
  });

  test('is denied when it cannot be asked', async () => {
    const at = await toolBench();
    at.platform.failNext('post', 'unavailable');
    expect(await at.run(PROMPT, bash)).toEqual(denied('the platform fails'));
  });

  test('is denied when anything unforeseen happens', async () => {
    const at = await toolBench();
    const allowances = { has: () => Promise.reject(new Error('secret')), allow: async () => {} };
    const answer = await at.run(PROMPT, bash, { allowances });
    expect(answer).toEqual(denied('unexpected'));
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  test.each([{}, { tool_name: 7, input: {} }, { tool_name: 'Bash', input: 'ls' }])(
    'is denied for the arguments %j',
    async (input) => {
      const at = await toolBench();
      expect(await at.run(PROMPT, input)).toMatchObject({ behavior: 'deny' });
      expect(at.platform.posts).toEqual([]);
    },
  );

  test('takes arguments it does not know, and none for the input', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, { tool_name: 'Bash', tool_use_id: 'toolu_1', extra: { a: 1 } });
    await at.platform.reactAs(OWNER, await question(at, 'Bash'), '+1');
    expect(await asked).toEqual(allowed({}));
  });

  test('several wait at once, each for its own answer', async () => {
    const at = await toolBench();
    const one = at.run(PROMPT, { tool_name: 'Read', input: { file_path: '/one' } });
    const other = at.run(PROMPT, { tool_name: 'Read', input: { file_path: '/other' } });
    await at.platform.reactAs(OWNER, await question(at, '/other'), '-1');
    expect(await other).toEqual(denied('no'));
    await at.platform.reactAs(OWNER, await question(at, '/one'), '+1');
    expect(await one).toEqual(allowed({ file_path: '/one' }));
  });
});

describe('the product’s own tools', () => {
  test.each(['send_file', 'send_dm', 'propose_routine', 'permission_prompt'])(
    '%s is allowed at once, without a post',
    async (name) => {
      const at = await toolBench();
      const input = { path: '/a' };
      expect(await at.run(PROMPT, { tool_name: `mcp__claude-threads-mcp__${name}`, input })).toEqual(
        allowed(input),
      );
      expect(at.platform.posts).toEqual([]);
    },
  );

  test.each([
    'mcp__claude-threads-mcp__evil__send_file',
    'mcp__claude-threads-mcp___x',
    'mcp__claude-threads-mcp__',
    'mcp__claude-threads-mcp2__send_file',
    'xmcp__claude-threads-mcp__send_file',
  ])('%s is none of them', async (tool_name) => {
    const at = await toolBench();
    const asked = at.run(PROMPT, { tool_name, input: { a: 1 } });
    await at.platform.reactAs(OWNER, await question(at, 'Permission requested'), '-1');
    expect(await asked).toEqual(denied('no'));
  });
});

describe('a plan', () => {
  const plan = { tool_name: 'ExitPlanMode', input: { plan: '1. Look\n2. Leap' } };

  test('is shown as one, and waits an hour', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, plan);
    const post = await question(at, 'Look', 2);
    await at.clock.advance(3_589_000);
    await at.platform.reactAs(OWNER, post, '+1');
    expect(await asked).toEqual(allowed(plan.input));
  });

  test('is denied ten seconds before the agent’s program gives up', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, plan);
    await question(at, 'Look', 2);
    await at.clock.advance(3_590_000);
    expect(await asked).toEqual(denied('Nobody answered'));
  });

  test('that cannot be shown is asked about like any tool', async () => {
    const at = await toolBench();
    at.platform.failNext('post', 'unavailable');
    const asked = at.run(PROMPT, plan);
    await at.platform.reactAs(OWNER, await question(at, 'Permission requested'), '+1');
    expect(await asked).toEqual(allowed(plan.input));
  });

  test('is withdrawn with the call, and not asked about again', async () => {
    const at = await toolBench();
    const abort = new AbortController();
    const asked = at.run(PROMPT, plan, { signal: abort.signal });
    await question(at, 'Look', 2);
    abort.abort();
    expect(await asked).toMatchObject({ behavior: 'deny' });
    expect(at.platform.posts).toHaveLength(1);
  });
});

describe('a question of the agent', () => {
  const ask = (multiSelect = false, labels = ['Postgres', 'SQLite']) => ({
    tool_name: 'AskUserQuestion',
    input: {
      questions: [
        {
          question: 'Which database?',
          header: 'DB',
          options: labels.map((label) => ({ label })),
          multiSelect,
        },
      ],
    },
  });

  test('is answered by a number, under the text of the question', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, ask());
    await at.platform.reactAs(OWNER, await question(at, 'Which database?', 2), 'two');
    expect(await asked).toEqual(allowed({ ...ask().input, answers: { 'Which database?': 'SQLite' } }));
  });

  test('is answered by what someone writes in the thread', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, ask());
    await question(at, 'Which database?', 2);
    await at.questions.answerTyped(at.context.session.id, OWNER.id, 'a file');
    expect(await asked).toEqual(allowed({ ...ask().input, answers: { 'Which database?': 'a file' } }));
  });

  test('with several choices goes on without an answer', async () => {
    const at = await toolBench();
    expect(await at.run(PROMPT, ask(true))).toEqual(allowed(ask(true).input));
    expect(at.platform.posts).toEqual([]);
  });

  test('that cannot be put goes on without an answer', async () => {
    const at = await toolBench({ platform: fakePlatform() });
    at.platform.failNext('post', 'unavailable');
    expect(await at.run(PROMPT, ask())).toEqual(allowed(ask().input));
  });

  test('is not taken as answered when nobody does', async () => {
    const at = await toolBench();
    const asked = at.run(PROMPT, ask(), { decisionTimeoutMs: 1_000 });
    await question(at, 'Which database?', 2);
    await at.clock.advance(1_000);
    expect(await asked).toEqual(denied('Nobody answered'));
  });
});
