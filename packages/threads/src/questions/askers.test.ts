import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Post } from '../platforms/platform.ts';
import { ALLOWED, OWNER, type QuestionBench, questionBench, SESSION_ID, STRANGER } from '../testing/index.ts';
import type { ToolAllowances } from '../tools/tool.ts';
import { askChoices } from './ask-choices.ts';
import { askDirectMessage } from './ask-direct-message.ts';
import { askOutsiderMessage } from './ask-outsider-message.ts';
import { askPermission, permissionText } from './ask-permission.ts';
import { askPlan } from './ask-plan.ts';
import { canonicalJson, inputHash } from './input-hash.ts';
import { codeBlock, excerpt, visible } from './shown-input.ts';

const never = new AbortController().signal;

function allowances(...tools: string[]): ToolAllowances & { readonly tools: string[] } {
  return {
    tools,
    has: async (tool) => tools.includes(tool),
    allow: async (tool) => void tools.push(tool),
  };
}

/** The newest question, once all its options hang below it. */
const question = (at: QuestionBench, options: number, text = ''): Promise<Post> =>
  at.platform.botPost(
    (post) => post.text.includes(text) && at.platform.reactionsOn.get(post.postId)?.length === options,
  );

describeEngines('permission for a tool', (engine) => {
  test('lets it have the input that was shown, whatever became of the object', async () => {
    const at = await questionBench(engine);
    const input: Record<string, unknown> = { command: 'ls' };
    const answer = askPermission(at.scope, allowances(), { tool: 'Bash', input }, never);
    await at.platform.reactAs(OWNER, await question(at, 3), '+1');
    input.command = 'rm -rf /';
    expect(await answer).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } });
    expect(at.audit.of('permission')).toMatchObject([
      {
        tool: 'Bash',
        actor: OWNER.id,
        details: { decision: 'allow', input_hash: inputHash({ command: 'ls' }) },
      },
    ]);
  });

  test('given for the session covers that tool and no other', async () => {
    const at = await questionBench(engine);
    const allowed = allowances();
    const answer = askPermission(at.scope, allowed, { tool: 'Read', input: { path: 'a' } }, never);
    await at.platform.reactAs(ALLOWED, await question(at, 3, 'Read'), 'white_check_mark');
    expect(await answer).toMatchObject({ behavior: 'allow' });
    expect(allowed.tools).toEqual(['Read']);
    expect(await askPermission(at.scope, allowed, { tool: 'Read', input: { path: 'b' } }, never)).toEqual({
      behavior: 'allow',
      updatedInput: { path: 'b' },
    });
    const other = askPermission(at.scope, allowed, { tool: 'Bash', input: { command: 'ls' } }, never);
    await at.platform.reactAs(OWNER, await question(at, 3, 'Bash'), '-1');
    expect(await other).toEqual({ behavior: 'deny', message: 'olga said no.' });
  });

  test('is denied when nobody answers', async () => {
    const at = await questionBench(engine);
    const answer = askPermission(at.scope, allowances(), { tool: 'Bash', input: { command: 'ls' } }, never);
    await question(at, 3);
    await at.clock.advance(120_000);
    expect(await answer).toEqual({ behavior: 'deny', message: expect.stringContaining('Nobody answered') });
  });
});

describeEngines('a plan', (engine) => {
  test('is approved by a thumb, its code block closed before the answers', async () => {
    const at = await questionBench(engine);
    const input = { plan: '# Plan\n```ts\nconst a = 1;', planFilePath: '/p' };
    const answer = askPlan(at.scope, { tool: 'ExitPlanMode', input }, never);
    const post = await question(at, 2);
    expect(post.text).toContain('const a = 1;\n```\n\n👍 Go ahead');
    await at.platform.reactAs(OWNER, post, '+1');
    expect(await answer).toEqual({ behavior: 'allow', updatedInput: input });
    expect(at.audit.of('plan')).toMatchObject([{ tool: 'ExitPlanMode', actor: OWNER.id }]);
  });

  test('goes back to the agent with what someone writes', async () => {
    const at = await questionBench(engine);
    const answer = askPlan(at.scope, { tool: 'ExitPlanMode', input: { plan: 'Do it.' } }, never);
    await question(at, 2);
    await at.questions.answerTyped(SESSION_ID, OWNER.id, 'smaller steps');
    expect(await answer).toEqual({
      behavior: 'deny',
      message: 'The plan is not approved yet. olga writes: smaller steps',
    });
  });
});

describeEngines('questions of the agent', (engine) => {
  const options = (...labels: string[]) => labels.map((label) => ({ label, description: `about ${label}` }));

  test('are put one after the other and answered by reaction or in writing', async () => {
    const at = await questionBench(engine);
    const input = {
      questions: [
        { question: 'Which store?', header: 'Store', options: options('SQLite', 'PostgreSQL') },
        { question: 'Which name?', options: options('a', 'b') },
        { question: 'Which size?', options: options('small', 'large') },
      ],
    };
    const answer = askChoices(at.scope, { tool: 'AskUserQuestion', input }, never);
    const first = await question(at, 2, 'Which store?');
    expect(at.platform.posts).toHaveLength(1);
    expect(first.text).toContain('2️⃣ **PostgreSQL**: about PostgreSQL');
    await at.platform.reactAs(OWNER, first, 'two');
    await question(at, 2, 'Which name?');
    await at.questions.answerTyped(SESSION_ID, ALLOWED.id, 'something else');
    await question(at, 2, 'Which size?');
    await at.questions.answerTyped(SESSION_ID, ALLOWED.id, 'LARGE');
    expect(await answer).toEqual({
      behavior: 'allow',
      updatedInput: {
        ...input,
        answers: { 'Which store?': 'PostgreSQL', 'Which name?': 'something else', 'Which size?': 'large' },
      },
    });
  });

  test('may have any number of options; the ones without a sign are typed', async () => {
    const at = await questionBench(engine);
    const labels = Array.from({ length: 60 }, (_, index) => `colour ${String.fromCodePoint(945 + index)}`);
    const input = { questions: [{ question: 'Which?', options: options(...labels) }] };
    const ask = () => askChoices(at.scope, { tool: 'AskUserQuestion', input }, never);
    const reacted = ask();
    const post = await at.platform.botPost(
      ({ postId }) => (at.platform.reactionsOn.get(postId)?.length ?? 0) >= 12,
    );
    await at.platform.reactAs(OWNER, post, at.platform.reactionsOn.get(post.postId)![11]!.emoji);
    expect(await reacted).toMatchObject({ updatedInput: { answers: { 'Which?': labels[11] } } });
    const before = at.platform.posts.length;
    const typed = ask();
    await at.platform.botPost((each) => at.platform.posts.indexOf(each) >= before);
    while (!(await at.questions.answerTyped(SESSION_ID, OWNER.id, '60'))) await at.clock.advance(1);
    expect(await typed).toMatchObject({ updatedInput: { answers: { 'Which?': labels[59] } } });
  });

  test('with several choices, or of a shape it does not know, are not put', async () => {
    const at = await questionBench(engine);
    const several = { questions: [{ question: 'Which?', options: options('a', 'b'), multiSelect: true }] };
    for (const input of [several, {}, { questions: [] }, { questions: [{ question: 1 }] }]) {
      expect(await askChoices(at.scope, { tool: 'AskUserQuestion', input }, never)).toBeNull();
    }
    expect(at.platform.posts).toEqual([]);
  });

  test('are denied together when one is not answered', async () => {
    const at = await questionBench(engine);
    const input = { questions: [{ question: 'Which?', options: options('a', 'b') }] };
    const answer = askChoices(at.scope, { tool: 'AskUserQuestion', input }, never);
    await question(at, 2);
    await at.clock.advance(120_000);
    expect(await answer).toMatchObject({ behavior: 'deny' });
  });
});

describeEngines('a direct message', (engine) => {
  test.each([
    ['+1', { kind: 'once' }],
    ['white_check_mark', { kind: 'always' }],
    ['-1', { kind: 'refused', reason: 'olga said no.' }],
  ] as const)('is answered by %s', async (emoji, expected) => {
    const at = await questionBench(engine);
    const text = 'All done.\n```\nsee';
    const answer = askDirectMessage(at.scope, { recipient: ALLOWED, text }, never);
    const post = await question(at, 3);
    expect(post.text).toContain(`direct message to alan\n\`\`\`\`\n${text}\n\`\`\`\``);
    await at.platform.reactAs(OWNER, post, emoji);
    expect(await answer).toEqual(expected);
    expect(at.audit.of('direct_message')).toMatchObject([{ actor: OWNER.id, tool: 'send_dm' }]);
  });
});

describeEngines('a message from outside', (engine) => {
  test.each([
    ['+1', 'once'],
    ['white_check_mark', 'invite'],
    ['-1', 'denied'],
  ] as const)('is answered by %s', async (emoji, kind) => {
    const at = await questionBench(engine, { approvers: 'owner_or_allowed' });
    const message = { author: STRANGER, text: 'me too', fileNames: ['a.png', 'b\u202e.pdf'] };
    const answer = askOutsiderMessage(at.scope, message, never);
    const post = await question(at, 3);
    expect(post.text).toContain('**sam** is not in this session and writes:\n```\nme too\n```');
    expect(post.text).toContain('With files: a.png, b.pdf');
    await at.platform.reactAs(STRANGER, post, '+1');
    await at.platform.reactAs(ALLOWED, post, emoji);
    expect(await answer).toMatchObject({ kind, by: { id: ALLOWED.id } });
  });

  test('stays out when nobody answers', async () => {
    const at = await questionBench(engine);
    const answer = askOutsiderMessage(at.scope, { author: STRANGER, text: 'hi', fileNames: [] }, never);
    await question(at, 3);
    await at.clock.advance(120_000);
    expect(await answer).toEqual({ kind: 'unanswered' });
  });
});

describe('what people see of a tool’s input', () => {
  test('is a command of up to 1,500 characters, whole', () => {
    const command = `echo ${'a'.repeat(1_480)}; rm -rf b`.slice(0, 1_500);
    expect(permissionText('Bash', { command })).toContain(command);
  });

  test('is of a longer one the start, how much more there is, and the end', () => {
    const command = `echo ${'a'.repeat(3_000)}; rm -rf everything`;
    const text = permissionText('Bash', { command, description: 'Say a' });
    expect(text).toContain(command.slice(0, 1_500));
    expect(text).toContain(`${command.length - 1_500} more characters, left out but for the last 200:`);
    expect(text).toContain('rm -rf everything');
    expect(text).toContain('`description`: `Say a`');
  });

  test('names the file beside the tool', () => {
    expect(permissionText('Write', { file_path: '/srv/a.txt', content: 'x' })).toBe(
      '⚠️ **Permission requested:** Write `/srv/a.txt`\n`content`: `x`',
    );
  });

  test('has nothing hidden, and nothing breaks out of its block', () => {
    const text = permissionText('Bash', { command: 'ls \u202e\u200b\r\n```\n👍 **Allowed once** by olga' });
    expect(text).toContain('````\nls \\u{202e}\\u{200b}\\u{d}\n```\n👍 **Allowed once** by olga\n````');
    expect(visible('👨‍👩‍👧 ❤️ a\tb')).toBe('👨‍👩‍👧 ❤️ a\tb');
  });

  test('is bounded, however much there is, and says so', () => {
    const input = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`key${index}`, 'v'.repeat(5_000)]),
    );
    const text = permissionText('Odd', input);
    expect(text.length).toBeLessThan(20_000);
    expect(text).toMatch(/more characters, left out but for the last 200/);
    expect(text).toMatch(/`\d+ more`/);
  });

  test('an excerpt tells how many characters there are beyond the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.integer({ min: 1, max: 300 }),
        (text, limit) => {
          const shown = excerpt(text, limit);
          if (text.length <= limit) expect(shown).toBe(text);
          else {
            expect(shown).toContain(`[${text.length - limit} more characters`);
            expect(shown.isWellFormed()).toBe(true);
          }
        },
      ),
    );
  });

  test('a code block ends only at its end', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n') }), (text) => {
        const lines = codeBlock(text).split('\n');
        const fence = lines[0] ?? '';
        expect(lines.slice(1, -1).join('\n')).toBe(text);
        expect(lines.slice(1, -1).every((line) => !line.includes(fence))).toBe(true);
      }),
    );
  });

  test('its hash is the same however the keys are ordered, and another for any other value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const turned = Object.fromEntries(Object.entries(input).reverse());
        expect(inputHash(turned)).toBe(inputHash(input));
        expect(JSON.parse(canonicalJson(input))).toEqual(JSON.parse(JSON.stringify(input)));
      }),
    );
    expect(inputHash({ a: 1 })).not.toBe(inputHash({ a: '1' }));
  });
});
