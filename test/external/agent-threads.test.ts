import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answer, type FakeMessagesApi, fakeMessagesApi, hang, text, toolUse } from '../fakes/messages-api.ts';
import { BOT, Chat, type ChatMessage } from '../support/chat-person.ts';
import { posternCommand, startHub, type TestHub } from '../support/hub.ts';
import { runProgram } from '../support/run-program.ts';
import { claude } from './tool-paths.ts';

/** The real agent CLI in a thread of the embedded chat: people ask it, allow it, stop it, and find it again. */

const CHANNEL = 'local:agents';

let folder: string;
let work: string;
let api: FakeMessagesApi;
let hub: TestHub;
const chat = new Chat(() => hub, CHANNEL);
const olga = chat.person('olga');
const alan = chat.person('alan');
/** Has the owner's name and not the owner's id. */
const impostor = chat.person('olga-2', 'olga');

const start = () =>
  startHub({
    folder,
    env: {
      CLAUDE_PATH: claude,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'a-key-for-the-fake',
      CLAUDE_CONFIG_DIR: join(folder, '.claude'),
    },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-threads-'));
  work = join(folder, 'work');
  await mkdir(work);
  await writeFile(
    join(folder, 'postern.yaml'),
    `threads:
  workingDir: ./work
  limits: { flushDelayMs: 100, maxSessions: 20 }
  platforms:
    - { id: local, type: local, channelId: '${CHANNEL}', allowedUsers: [olga, alan] }
`,
  );
  api = await fakeMessagesApi();
  hub = await start();
});

// What one test left of its script is not for the next one's agent.
beforeEach(() => api.reset());

afterAll(async () => {
  await hub.stop();
  await api.close();
  // An agent that was stopped may still be writing down how it ended.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

const says = (part: string) => (post: ChatMessage) => post.text.includes(part);
/** Asks, and has all its options on it: they are put there one by one, and 👎 is the last of every decision. */
const asks = (part: string) => (post: ChatMessage) =>
  post.text.includes(part) && post.reactions.some(({ emoji }) => emoji === '-1');
const asksWith = (options: number, part: string) => (post: ChatMessage) =>
  post.text.includes(part) && post.reactions.length >= options;
const exists = (path: string) =>
  readFile(path).then(
    () => true,
    () => false,
  );

async function auditLines(): Promise<Record<string, unknown>[]> {
  const content = await readFile(join(folder, 'data/audit/local.jsonl'), 'utf8');
  return content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a permission', () => {
  test('is given by the reaction of somebody who may, for what was shown, and is on record', async () => {
    const file = join(work, 'hello.txt');
    api.script(
      answer(toolUse('Write', { file_path: file, content: 'hello from the thread\n' })),
      answer(text('The file is there.')),
    );
    const { id } = await olga.say('@postern write hello.txt');
    const prompt = await chat.botPost(id, asks('hello.txt'));
    expect(prompt.reactions.map(({ emoji }) => emoji)).toEqual(['+1', 'white_check_mark', '-1']);
    await impostor.react(prompt.id, '+1');
    await olga.react(prompt.id, 'eyes');
    expect(await exists(file)).toBe(false);
    await alan.react(prompt.id, '+1::skin-tone-4');
    await chat.botPost(id, says('The file is there.'));
    expect(await readFile(file, 'utf8')).toBe('hello from the thread\n');
    await chat.botPost(id, (post) => post.id === prompt.id && post.text.includes('alan'));
    const decisions = (await auditLines()).filter(({ action }) => action === 'permission');
    expect(decisions).toMatchObject([{ actor: 'alan', tool: 'Write' }]);
    expect((await auditLines()).some(({ action }) => action === 'reaction_refused')).toBe(true);
    api.verify();
  });

  test('that is refused runs nothing, and the agent is told', async () => {
    const file = join(work, 'never.txt');
    api.script(answer(toolUse('Write', { file_path: file, content: 'x' })), (request) => {
      expect(request.toolResult.isError).toBe(true);
      return answer(text('Then I leave it.'));
    });
    const { id } = await olga.say('@postern write never.txt');
    const prompt = await chat.botPost(id, asks('never.txt'));
    await olga.react(prompt.id, '-1');
    await chat.botPost(id, says('Then I leave it.'));
    expect(await exists(file)).toBe(false);
    api.verify();
  });

  test('of ✅ is for that tool alone', async () => {
    const [one, two] = [join(work, 'one.txt'), join(work, 'two.txt')];
    api.script(
      answer(toolUse('Write', { file_path: one, content: '1' })),
      answer(toolUse('Write', { file_path: two, content: '2' })),
      answer(toolUse('Bash', { command: `cp ${one} ${join(work, 'three.txt')}`, description: 'copy' })),
      answer(text('Two written, none copied.')),
    );
    const { id } = await olga.say('@postern write two files and copy one');
    const write = await chat.botPost(id, asks('one.txt'));
    await olga.react(write.id, 'white_check_mark');
    const bash = await chat.botPost(id, asks('three.txt'));
    expect(await readFile(two, 'utf8')).toBe('2');
    await olga.react(bash.id, '-1');
    await chat.botPost(id, says('Two written, none copied.'));
    expect(await exists(join(work, 'three.txt'))).toBe(false);
    api.verify();
  });
});

describe('a plan', () => {
  /** The agent plans in a file that the CLI names, and then asks to go on. */
  async function planned(task: string) {
    const outcome = Promise.withResolvers<{ isError: boolean; text: string }>();
    api.script(
      answer(toolUse('EnterPlanMode', {})),
      ({ everything }) => {
        const path = /\S+\/plans\/\S+?\.md/.exec(everything)?.[0];
        expect(path).toBeDefined();
        return answer(toolUse('Write', { file_path: path, content: '# How\n\n1. Look\n2. Build it\n' }));
      },
      answer(toolUse('ExitPlanMode', {})),
      ({ toolResult }) => {
        outcome.resolve(toolResult);
        return answer(text('So it is.'));
      },
    );
    const { id } = await olga.say(`@postern ${task}`);
    const post = await chat.botPost(id, asks('2. Build it'));
    return { id, post, outcome: outcome.promise };
  }

  test('is shown whole, and approved by 👍', async () => {
    const { id, post, outcome } = await planned('plan the first');
    await impostor.react(post.id, '+1');
    await alan.react(post.id, '+1');
    expect(await outcome).toMatchObject({ isError: false });
    await chat.botPost(id, (each) => each.id === post.id && each.text.includes('Plan approved** by alan'));
    await chat.botPost(id, says('So it is.'));
    api.verify();
  });

  test('that somebody answers in words goes back to the agent with them', async () => {
    const { id, outcome } = await planned('plan the second');
    await olga.say('leave out the second step', id);
    expect(await outcome).toMatchObject({
      isError: true,
      text: expect.stringContaining('olga writes: leave out the second step'),
    });
    await chat.botPost(id, says('So it is.'));
    api.verify();
  });
});

test('a question is answered by a numbered reaction, and by a typed reply', async () => {
  const question = (header: string) => ({
    question: `Which ${header}?`,
    header,
    multiSelect: false,
    options: ['red', 'green', 'blue', 'white', 'black']
      .slice(0, 4)
      .map((label) => ({ label, description: label })),
  });
  api.script(
    answer(toolUse('AskUserQuestion', { questions: [question('colour'), question('size')] })),
    (request) => {
      expect(request.toolResult.text).toContain('green');
      expect(request.toolResult.text).toContain('as large as a house');
      return answer(text('Green, and large.'));
    },
  );
  const { id } = await olga.say('@postern paint it');
  const first = await chat.botPost(id, asksWith(4, 'Which colour?'));
  await olga.react(first.id, first.reactions[1]?.emoji ?? '');
  await chat.botPost(id, asksWith(4, 'Which size?'));
  await olga.say('as large as a house', id);
  await chat.botPost(id, says('Green, and large.'));
  api.verify();
});

test('sixty thousand characters with a code fence arrive whole', async () => {
  const lines = Array.from({ length: 1_500 }, (_, index) => `line ${index} ${'x'.repeat(30)}`);
  api.script(answer(text(`Before.\n\n\`\`\`python\n${lines.join('\n')}\n\`\`\`\n\nAfter.`)));
  const { id } = await olga.say('@postern print a lot');
  await chat.botPost(id, says('After.'));
  const posts = (await chat.replies(id)).filter(({ user }) => user.id === BOT);
  const shown = posts.map((post) => post.text).join('\n');
  expect(shown.split('\n').filter((line) => /^line \d+ x+$/.test(line))).toEqual(lines);
  for (const post of posts)
    expect(post.text.match(/^```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
  api.verify();
});

test('a file of the working folder comes into the thread; others do not', async () => {
  await writeFile(join(work, 'plot.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(work, '.env'), 'SECRET=1');
  api.script(
    answer(
      toolUse('mcp__claude-threads-mcp__send_file', { path: join(work, 'plot.svg'), caption: 'the plot' }),
    ),
    answer(toolUse('mcp__claude-threads-mcp__send_file', { path: join(work, '.env') })),
    (request) => {
      expect(request.toolResult.text).toMatch(/"ok":\s*false/);
      return answer(text('Sent what may be sent.'));
    },
  );
  const { id } = await olga.say('@postern send me the plot');
  await chat.botPost(id, says('Sent what may be sent.'));
  const files = (await chat.replies(id)).flatMap(({ attachments }) => attachments);
  expect(files.map(({ name }) => name)).toEqual(['plot.svg']);
  api.verify();
});

test('!escape stops the turn, and the next message goes on in the same session', async () => {
  const before = api.requests.length;
  api.script(hang(3, text('A long thought')));
  const { id } = await olga.say('@postern think for long');
  await api.request(before + 1);
  await olga.say('!escape', id);
  await chat.botPost(id, says('Interrupted'));
  api.script((request) => {
    expect(request.everything).toContain('think for long');
    return answer(text('Here again.'));
  });
  await olga.say('go on', id);
  await chat.botPost(id, says('Here again.'));
  const posts = await chat.replies(id);
  expect(posts.filter((post) => says('Interrupted')(post))).toHaveLength(1);
  // What is said stands below what it answers.
  expect(posts.findIndex(says('Here again.'))).toBeGreaterThan(posts.findIndex(says('go on')));
  api.verify();
});

test('what is said right after !escape is answered too', async () => {
  const before = api.requests.length;
  api.script(hang(3, text('Another long thought')));
  const { id } = await olga.say('@postern think again');
  await api.request(before + 1);
  api.script(answer(text('Answered all the same.')));
  await olga.say('!escape', id);
  await olga.say('and now?', id);
  await chat.botPost(id, says('Answered all the same.'));
  api.verify();
});

test('after kill -9 in a permission it is closed as denied, a late 👍 runs nothing, and the session goes on', async () => {
  const file = join(work, 'late.txt');
  api.script(answer(toolUse('Write', { file_path: file, content: 'late' })));
  const { id } = await olga.say('@postern write late.txt');
  const prompt = await chat.botPost(id, asks('late.txt'));
  // The agent is left at work, without its tools' server.
  api.script(hang());
  const before = api.requests.length;
  await hub.kill();
  const left = await api.request(before + 1);
  expect(left.toolResult.isError).toBe(true);
  // The next start ends it, and tells the one it resumes to look before it goes on.
  api.script((request) => {
    expect(request.newestUserText).toContain('stopped in the middle');
    return answer(text('I look first.'));
  });
  hub = await start();
  expect((await left.over).abandoned).toBe(true);
  await chat.botPost(id, (post) => post.id === prompt.id && /denied|restart/i.test(post.text));
  await chat.botPost(id, says('I look first.'));
  await olga.react(prompt.id, '+1');
  api.script(answer(text('Nothing was written.')));
  await olga.say('what happened?', id);
  await chat.botPost(id, says('Nothing was written.'));
  expect(await exists(file)).toBe(false);
  api.verify();
});

test('the record is whole, and the agent’s environment has no secret of Postern', async () => {
  const out = join(work, 'environment.txt');
  api.script(
    answer(toolUse('Bash', { command: `env > ${out}`, description: 'environment' })),
    answer(text('Looked.')),
  );
  const { id } = await olga.say('@postern show the environment');
  const prompt = await chat.botPost(id, asks('environment.txt'));
  expect(prompt.text).toContain(`env > ${out}`);
  await olga.react(prompt.id, '+1');
  await chat.botPost(id, says('Looked.'));
  const environment = await readFile(out, 'utf8');
  expect(environment).not.toMatch(/^(POSTERN_|AMC_|PLATFORM_)/m);
  expect(environment).not.toContain(hub.adminKey);
  const verified = await runProgram(process.execPath, [posternCommand, 'audit', 'verify'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, POSTERN_DATA_DIR: join(folder, 'data') },
  });
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('ok') });
});
