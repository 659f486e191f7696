import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../src/agent/agent.ts';
import { ClaudeEventMapper } from '../src/agent/claude/mapper.ts';
import { FLUSH_DELAY_MS, finished, outputBench, refOf, result, text, use } from './output-harness.ts';

/** What the agent does beside talking, as it comes to stand in the thread. */

describe('a tool call', () => {
  test('is one line with what it is about', async () => {
    const bench = outputBench();
    await bench.tell(
      text('I look.'),
      use('t1', 'Bash', { command: 'npm test &&\n  npm run build', description: 'Test' }),
      use('t2', 'Edit', { file_path: '/srv/work/src/a.ts', old_string: 'a', new_string: 'b' }),
      use('t3', 'Read', { file_path: '/etc/hosts' }),
      use('t4', 'mcp__claude-threads-mcp__list_thread', {}),
      use('t5', 'mcp__tracker__find_issue', { query: 'a `b` c' }),
      use('t6', 'Bash', { command: `echo ${'x'.repeat(5_000)}` }),
    );
    expect(bench.texts).toEqual([
      [
        'I look.',
        '',
        '- **Bash** `npm test && npm run build`',
        '- **Edit** `src/a.ts`',
        '- **Read** `/etc/hosts`',
        '- **list_thread**',
        '- **tracker: find_issue** ``a `b` c``',
        `- **Bash** \`echo ${'x'.repeat(115)}…\``,
      ].join('\n'),
    ]);
  });

  test('that fails says why, in a line', async () => {
    const bench = outputBench();
    await bench.tell(
      use('t1', 'Bash', { command: 'make' }),
      result('t1', `<tool_use_error>No *rule*\nto make target</tool_use_error>${'!'.repeat(2_000)}`, true),
    );
    expect(bench.texts[0]).toMatch(
      /^- \*\*Bash\*\* `make`\n- ❌ Bash: No \\\*rule\\\* to make target!{100,160}…$/,
    );
  });

  test('that refuses says why, and not how it put that', async () => {
    const bench = outputBench();
    await bench.tell(
      use('t1', 'mcp__claude-threads-mcp__send_file', { path: '/etc/passwd' }),
      result('t1', '{"ok":false,"reason":"The file is outside."}'),
      use('t2', 'mcp__claude-threads-mcp__send_file', { path: '/srv/work/a' }),
      result('t2', '{"ok":true,"postId":"p1"}'),
      use('t3', 'mcp__claude-threads-mcp__send_dm', { recipient: 'x' }),
      result('t3', '{"ok":false,"reason":"Nobody of that name."}', true),
    );
    expect(bench.texts[0]?.split('\n')).toEqual([
      '- **send_file** `/etc/passwd`',
      '- ❌ send\\_file: The file is outside.',
      '- **send_file** `a`',
      '- **send_dm** `x`',
      '- ❌ send\\_dm: Nobody of that name.',
    ]);
  });

  test('shows its whole input and its result when asked, and hides them again', async () => {
    const bench = outputBench();
    const command = `echo ${'y'.repeat(6_000)}`;
    await bench.tell(
      use('t1', 'Bash', { command }),
      result('t1', 'all good'),
      use('t2', 'Write', { file_path: '/srv/work/a.md', content: '```js\n1\n```' }),
    );
    const ref = refOf(bench.posts[0]!);
    expect(await bench.output.react(ref, 'mag')).toBe(true);
    const details = bench.texts.slice(1).join('\n');
    expect(details.match(/y/g)).toHaveLength(6_000);
    expect(details).toContain('```\nall good\n```');
    expect(details).toContain('````json');
    expect(await bench.output.react(ref, 'mag')).toBe(true);
    expect(bench.texts).toHaveLength(1);
    expect(await bench.output.react(ref, 'heart')).toBe(false);
    expect(await bench.output.react({ ...ref, postId: 'p999' }, 'mag')).toBe(false);
  });

  test('has its details in the post where its line stands', async () => {
    const bench = outputBench({ limit: 400 });
    for (let count = 1; count <= 12; count += 1) {
      await bench.tell(use(`t${count}`, 'Bash', { command: `command-${count}; ${'z'.repeat(60)}` }));
    }
    for (const post of [...bench.posts]) {
      const own = post.text.match(/command-\d+;/g) ?? [];
      const before = bench.posts.length;
      await bench.output.react(refOf(post), 'mag');
      const shown = bench.posts
        .slice(before)
        .flatMap(({ text: words }) => words.match(/command-\d+;/g) ?? []);
      expect(shown).toEqual(own);
    }
  });
});

describe('the task list', () => {
  const todo = (...statuses: string[]): AgentEvent =>
    use('todo', 'TodoWrite', {
      todos: statuses.map((status, index) => ({
        content: `Step ${index + 1}`,
        status,
        activeForm: `Doing ${index + 1}`,
      })),
    });

  test('is one post that changes', async () => {
    const bench = outputBench();
    await bench.tell(
      use('t1', 'TaskCreate', { subject: 'Write *it*', activeForm: 'Writing it' }),
      use('t2', 'TaskCreate', { subject: 'Test it' }),
      result('t1', 'Task #1 created successfully: Write *it*'),
      result('t2', 'Task #2 created successfully: Test it'),
    );
    expect(bench.texts).toEqual(['📋 **Tasks** 0/2\n\n- ☐ Write \\*it\\*\n- ☐ Test it']);
    await bench.tell(use('t3', 'TaskUpdate', { taskId: '1', status: 'in_progress' }));
    expect(bench.texts).toEqual(['📋 **Tasks** 0/2\n\n- ▶ **Writing it**\n- ☐ Test it']);
    await bench.tell(
      use('t4', 'TaskUpdate', { taskId: '1', status: 'completed' }),
      use('t5', 'TaskUpdate', { taskId: '2', status: 'deleted' }),
    );
    expect(bench.texts).toEqual(['📋 **Tasks** 1/1\n\n- ☑ Write \\*it\\*']);
  });

  test('stays at the end of the thread until all is done', async () => {
    const bench = outputBench();
    await bench.tell(todo('in_progress', 'pending'));
    await bench.tell(text('I begin.'));
    expect(bench.texts).toEqual(['I begin.', expect.stringContaining('0/2')]);
    await bench.platform.post({ channelId: 'main', threadId: 'thread', markdown: 'Somebody asks.' });
    bench.output.outrun();
    await bench.output.flush();
    expect(bench.texts).toEqual(['I begin.', 'Somebody asks.', expect.stringContaining('0/2')]);
    await bench.tell(todo('completed', 'completed'));
    await bench.tell(text('x'.repeat(4_000)));
    expect(bench.texts.map((each) => each.slice(0, 15))).toEqual(
      ['I begin.', 'Somebody asks.', '📋 **Tasks** 2/2', 'xxxxxxxxxxxxxxx'].map((each) => each.slice(0, 15)),
    );
    await bench.tell(todo('in_progress'));
    expect(bench.texts.at(-1)).toContain('0/1');
    expect(bench.texts.filter((each) => each.includes('Tasks'))).toHaveLength(2);
  });

  test('is not moved along with each of many posts', async () => {
    const bench = outputBench({ limit: 500 });
    await bench.tell(todo('in_progress', 'pending'));
    const before = bench.calls.length;
    for (let count = 0; count < 10; count += 1) {
      await bench.output.push(text('x'.repeat(490)));
      await bench.clock.advance(FLUSH_DELAY_MS);
    }
    const moves =
      bench.calls.length - before - bench.calls.filter((call) => call.startsWith('edit')).length - 10;
    expect(moves).toBeLessThanOrEqual(2);
    await bench.output.flush();
    expect(bench.texts.at(-1)).toContain('Tasks');
  });

  test('becomes one line and whole again by a reaction', async () => {
    const bench = outputBench();
    await bench.tell(todo('completed', 'in_progress', 'pending'));
    const ref = refOf(bench.posts[0]!);
    expect(bench.platform.reactionsOn.get(ref.postId)).toEqual([
      { emoji: 'arrow_down_small', personId: 'bot' },
    ]);
    expect(await bench.output.react(ref, 'small_red_triangle_down')).toBe(true);
    await bench.output.flush();
    expect(bench.texts).toEqual(['📋 **Tasks** 1/3 · **Doing 2**']);
    expect(await bench.output.react(ref, 'arrow_down_small')).toBe(true);
    await bench.output.flush();
    expect(bench.texts[0]).toContain('Step 3');
  });

  test('of very many tasks counts those that find no room', async () => {
    const bench = outputBench({ limit: 1_000 });
    await bench.tell(todo(...Array.from({ length: 300 }, () => 'pending')));
    expect(bench.texts[0]).toMatch(/0\/300[\s\S]+… and \d+ more$/);
  });
});

describe('a subagent', () => {
  test('is one line that counts, and its own words are not shown', async () => {
    const bench = outputBench();
    await bench.tell(
      text('I send two.'),
      use('a', 'Task', { description: 'Look it up', subagent_type: 'explorer' }),
      use('b', 'Agent', { description: 'Try it' }),
      use('a1', 'Read', { file_path: 'x' }, 'a'),
      use('a2', 'Bash', { command: 'y' }, 'a'),
      text('Inner words.', 'a'),
    );
    expect(bench.texts).toEqual(['I send two.', '- 🤖 Look it up (explorer) · 2 tool calls\n- 🤖 Try it']);
    await bench.tell(result('a', 'Found.'), use('b1', 'Read', {}, 'b'), text('Meanwhile.'));
    await bench.tell(result('b', 'It broke.', true));
    expect(bench.texts).toEqual([
      'I send two.',
      '- 🤖 Look it up (explorer) · 2 tool calls ✓\n- 🤖 Try it · 1 tool call ✗',
      'Meanwhile.',
    ]);
  });
});

describe('how the agent fares', () => {
  test('is said once for each state', async () => {
    const bench = outputBench();
    const retry: AgentEvent = { type: 'retrying', attempt: 1, maxRetries: 10, status: 529 };
    const limited = (state: 'allowed' | 'rejected'): AgentEvent => ({
      type: 'rate_limited',
      state,
      resetsAtMs: Date.UTC(2026, 4, 1, 12, 30),
    });
    await bench.tell(
      retry,
      retry,
      limited('allowed'),
      limited('rejected'),
      limited('rejected'),
      text('There.'),
      retry,
    );
    expect(bench.texts[0]?.split('\n\n')).toEqual([
      '⏳ The model does not answer (529); it is asked again.',
      '⛔ The account has reached its usage limit. It is lifted at 2026-05-01 12:30 UTC.',
      'There.',
      '⏳ The model does not answer (529); it is asked again.',
    ]);
  });

  test('is said at the end of a turn that did something, failed or was interrupted', async () => {
    const bench = outputBench();
    await bench.tell(text('Hello.'), finished());
    await bench.tell(use('t', 'Bash', { command: 'ls' }), finished());
    await bench.tell(finished('interrupted'));
    await bench.tell(finished('failed', ['API Error: 500']));
    expect(bench.texts[0]?.split('\n\n')).toEqual([
      'Hello.',
      '- **Bash** `ls`',
      '✅ Done · 12 s · $0.0123',
      '⏸️ Interrupted.',
      '⚠️ The turn failed: API Error: 500',
    ]);
  });

  test('says where the agent is logged in, which its own words do not', async () => {
    const bench = outputBench();
    await bench.tell(finished('failed', ['Not logged in · Please run /login']));
    expect(bench.texts[0]).toMatch(
      /^⚠️ The turn failed: Not logged in · .*\nThat is done on the server, not here/,
    );
  });

  test('is written at once at the end of a turn', async () => {
    const bench = outputBench();
    await bench.output.push(text('Hello.'));
    await bench.output.push(finished());
    await bench.clock.advance(0);
    expect(bench.texts).toEqual(['Hello.']);
  });
});

describe('sessions of one platform', () => {
  test('share the edits, each in its turn, and write the newest', async () => {
    const bench = outputBench({ capabilities: { editIntervalMs: 1_000 } });
    const outputs = ['a', 'b', 'c'].map((threadId) => bench.another(threadId));
    for (const output of outputs) await output.push(text('begin'));
    await bench.clock.advance(FLUSH_DELAY_MS);
    bench.calls.length = 0;
    for (let tick = 0; tick < 90; tick += 1) {
      for (const output of outputs) await output.push(text(`${tick}`));
      await bench.clock.advance(100);
    }
    const edits = bench.calls.filter((call) => call.startsWith('edit'));
    expect(edits.length).toBeGreaterThanOrEqual(8);
    expect(edits.length).toBeLessThanOrEqual(10);
    expect(new Set(edits.slice(0, 3)).size).toBe(3);
    expect(edits.slice(3, 6)).toEqual(edits.slice(0, 3));
    await bench.clock.advance(10_000);
    const last = bench.platform.posts.map(({ text: words }) => words.split('\n').at(-1));
    expect(last).toEqual(['89', '89', '89']);
  });
});

test('a recorded session shows every word once', async () => {
  const folder = join(import.meta.dirname, 'recordings');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl'))) {
    const mapper = new ClaudeEventMapper({ agentSessionId: '', resume: false });
    const bench = outputBench();
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    const events = lines.flatMap((line) => mapper.map(JSON.parse(line)));
    await bench.tell(...events);
    const shown = bench.texts.join('\n');
    for (const event of events) {
      if (event.type !== 'text') continue;
      const times = shown.split(event.text.trimEnd()).length - 1;
      expect([name, event.text, times]).toEqual([name, event.text, event.parentToolUseId === null ? 1 : 0]);
    }
  }
});
