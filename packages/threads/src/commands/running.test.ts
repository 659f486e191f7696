import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problem } from '@postern/http';
import { expect, onTestFinished, test } from 'vitest';
import type { PermissionMode } from '../agent/agent.ts';
import type { PlatformConfig } from '../config.ts';
import type { ChangeOutcome, SessionActions, SessionView, Standing } from '../sessions/session.ts';
import { ALLOWED, fakePlatform, OWNER, STRANGER } from '../testing/index.ts';
import { typedWith } from '../typed.ts';
import type { TaskDesk } from '../unattended/desk.ts';
import { commandBook } from './book.ts';
import type { CommandResult, SessionSetUp } from './command.ts';

interface Bench {
  readonly folder: string;
  readonly done: unknown[][];
  readonly setUp: SessionSetUp;
  readonly platform: ReturnType<typeof fakePlatform>;
  session: SessionView | null;
  outcome: ChangeOutcome;
  slashCommands: string[];
  isListed: boolean;
  /** Runs the commands of a message one after the other; the last answer. */
  run(text: string, standing?: Standing): Promise<CommandResult>;
}

async function bench(permissionMode: PermissionMode = 'auto'): Promise<Bench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postern-commands-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of ['work', 'work/my app', 'other', 'data', 'work/data']) await mkdir(join(folder, name));
  await symlink(join(folder, 'other'), join(folder, 'work', 'way-out'));
  const platform = fakePlatform();
  const book = commandBook({
    config: {
      workingDir: join(folder, 'work'),
      allowedDirs: [],
      platforms: [{ id: platform.id, permissionMode } as PlatformConfig],
    },
    deniedPaths: [join(folder, 'work', 'data')],
  });
  const done: unknown[][] = [];
  const setUp: SessionSetUp = { workingDir: null, permissionMode: null, worktreeBranch: null };
  const act =
    <T>(name: string, result: () => T) =>
    async (...args: unknown[]): Promise<T> => {
      done.push([
        name,
        ...args.map((arg) => (typeof arg === 'object' && arg !== null && 'id' in arg ? arg.id : arg)),
      ]);
      return result();
    };
  const at: Bench = {
    folder,
    done,
    setUp,
    platform,
    session: sessionView(folder),
    outcome: { ok: true },
    slashCommands: ['compact', 'context'],
    isListed: true,
    async run(text, standing = 'owner') {
      const reading = book.read(text);
      if (reading.kind !== 'commands') throw new Error(`${text} is no command`);
      const post = await platform.say(OWNER, text);
      let result: CommandResult = { reply: null, done: false };
      for (const { command, args, rest } of reading.calls) {
        const person = { id: OWNER.id, name: OWNER.name, standing };
        result = await command.run({
          platform,
          session: at.session,
          post,
          person,
          args,
          rest,
          setUp,
          typed: typedWith(null),
          actions,
          memory: null,
          tasks: {} as TaskDesk,
          nowMs: 0,
        });
      }
      return result;
    },
  };
  const actions: SessionActions = {
    view: async () => at.session,
    standing: async () => (at.isListed ? 'allowed' : 'stranger'),
    interrupt: act('interrupt', () => at.outcome.ok),
    end: act('end', () => undefined),
    kill: act('kill', () => 2),
    changeDir: act('changeDir', () => at.outcome),
    changePermissionMode: act('changePermissionMode', () => at.outcome),
    changeMentionsOnly: act('changeMentionsOnly', () => undefined),
    invite: act('invite', () => at.outcome),
    kick: act('kick', () => at.outcome),
    passThrough: act('passThrough', () => undefined),
    approvePlan: act('approvePlan', () => at.outcome.ok),
    useWorktree: act('useWorktree', () => at.outcome),
    leaveWorktree: act('leaveWorktree', () => at.outcome),
    worktrees: {
      list: act('listWorktrees', () => []),
      remove: act('removeWorktree', () => ({ kind: 'refused' as const, reason: 'not now' })),
      clean: act('cleanWorktrees', () => null),
    },
    slashCommands: async () => at.slashCommands,
  };
  return at;
}

function sessionView(folder: string): SessionView {
  return {
    id: 's-1',
    platformId: 'fake',
    channelId: 'main',
    threadId: 'root',
    kind: 'thread',
    state: 'active',
    owner: OWNER,
    participants: [{ id: 'u-gone', name: 'gone', invitedBy: OWNER.id }],
    workingDir: join(folder, 'work'),
    worktree: null,
    permissionMode: 'default',
    mentionsOnly: false,
    isUnattended: false,
    title: null,
    queued: 0,
    openQuestions: 0,
    costUsd: 1.5,
    createdMs: 0,
    activeMs: 0,
    endedMs: null,
    endReason: null,
  };
}

test.each([
  ['!stop', ['end', 's-1', 'stopped by @olga', OWNER.id]],
  ['!escape', ['interrupt', 's-1', OWNER.id]],
  ['!kill', ['kill', 'fake', OWNER.id]],
  ['!cd sub', ['changeDir', 's-1', 'sub', OWNER.id]],
  ['!permissions auto', ['changePermissionMode', 's-1', 'auto', OWNER.id]],
  ['!permissions interactive', ['changePermissionMode', 's-1', 'default', OWNER.id]],
  ['!mentions on', ['changeMentionsOnly', 's-1', true, OWNER.id]],
  ['!invite @alan', ['invite', 's-1', ALLOWED.id, OWNER.id]],
  ['!invite u-allowed', ['invite', 's-1', ALLOWED.id, OWNER.id]],
  ['!kick @sam,', ['kick', 's-1', STRANGER.id, OWNER.id]],
  ['!kick @gone', ['kick', 's-1', 'u-gone', OWNER.id]],
  ['!approve', ['approvePlan', 's-1', OWNER.id]],
  ['!compact keep the plan', ['passThrough', 's-1', '/compact keep the plan', OWNER.id]],
  ['!context', ['passThrough', 's-1', '/context', OWNER.id]],
  ['!worktree feature/x', ['useWorktree', 's-1', 'feature/x', OWNER.id]],
  ['!worktree switch feature/x', ['useWorktree', 's-1', 'feature/x', OWNER.id]],
  ['!worktree off', ['leaveWorktree', 's-1', OWNER.id]],
])('%s does what it says', async (text, expected) => {
  const at = await bench();
  expect(await at.run(text)).toMatchObject({ done: true });
  expect(at.done).toEqual([expected]);
});

test.each([
  '!stop please',
  '!stop\nusing tabs',
  '!kill that process',
  '!escape now',
  '!approve of this',
  '!cost a lot',
])('%j does nothing and asks what was meant', async (text) => {
  const at = await bench();
  expect(await at.run(text)).toEqual({ done: false, reply: expect.stringContaining('stands alone') });
  expect(at.done).toEqual([]);
});

test.each(['!stop', '!escape', '!invite @alan', '!mentions on', '!cost', '!compact', '!approve'])(
  '%s needs a session',
  async (text) => {
    const at = await bench();
    at.session = null;
    expect(await at.run(text)).toEqual({ done: false, reply: 'There is no session in this thread.' });
  },
);

test('what is refused is said, with the reason', async () => {
  const at = await bench();
  at.outcome = { ok: false, reason: 'Not there.' };
  for (const text of [
    '!cd x',
    '!permissions auto',
    '!invite @alan',
    '!kick @alan',
    '!worktree x',
    '!worktree off',
  ]) {
    expect(await at.run(text)).toEqual({ done: false, reply: '⚠️ Not there.' });
  }
  expect(await at.run('!escape')).toMatchObject({ done: false });
  expect(await at.run('!approve')).toMatchObject({ done: false });
});

test('a session that ends meanwhile is told of, and no fault', async () => {
  const at = await bench();
  at.platform.findPerson = async () => {
    throw problem('precondition_failed', 'The session has ended.');
  };
  expect(await at.run('!invite someone')).toEqual({ done: false, reply: '⚠️ The session has ended.' });
});

test('a mention is the person it stands for, whatever the name is now', async () => {
  const at = await bench();
  at.platform.findPerson = async (text) => (text === '<@U123>' ? STRANGER : null);
  expect(await at.run('!invite <@U123> @alan @nobody')).toEqual({
    done: true,
    reply:
      '✅ @sam is in this session now.\n✅ @alan is in this session now.\n⚠️ I know nobody called `@nobody` here.',
  });
  expect(at.done.map(([, , person]) => person)).toEqual([STRANGER.id, ALLOWED.id]);
  expect(await at.run('!invite')).toMatchObject({
    done: false,
    reply: expect.stringContaining('!invite @name'),
  });
});

test('the permissions never go beyond what is configured, before a session or in it', async () => {
  for (const [most, word, isAllowed] of [
    ['default', 'auto', false],
    ['default', 'bypass', false],
    ['auto', 'bypass', false],
    ['auto', 'skip', false],
    ['auto', 'default', true],
    ['bypass', 'skip', true],
  ] as const) {
    const at = await bench(most);
    expect((await at.run(`!permissions ${word}`)).done).toBe(isAllowed);
    expect(at.done.length).toBe(isAllowed ? 1 : 0);
    at.session = null;
    expect((await at.run(`!permissions ${word}`)).done).toBe(isAllowed);
    expect(at.setUp.permissionMode !== null).toBe(isAllowed);
  }
  const at = await bench();
  expect((await at.run('!permissions everything')).done).toBe(false);
  expect((await at.run('!permissions __proto__')).done).toBe(false);
  expect((await at.run('!permissions')).reply).toContain('The mode is `default`');
});

test('before a session, commands set it up', async () => {
  const at = await bench();
  at.session = null;
  expect(await at.run('!cd "my app"\n!permissions default !worktree feature/x go')).toEqual({
    reply: null,
    done: true,
  });
  expect(at.setUp).toEqual({
    workingDir: join(at.folder, 'work', 'my app'),
    permissionMode: 'default',
    worktreeBranch: 'feature/x',
  });
});

test.each(['/etc', '..', '../other', 'way-out', 'data', 'nowhere', '~', '/'])(
  'a session does not begin in %s, outside of what is allowed',
  async (path) => {
    const at = await bench();
    at.session = null;
    expect(await at.run(`!cd ${path} go`)).toMatchObject({
      done: false,
      reply: expect.stringContaining('⚠️'),
    });
    expect(at.setUp.workingDir).toBeNull();
  },
);

test('the product is ended by those on the list alone', async () => {
  const at = await bench();
  at.isListed = false;
  expect(await at.run('!kill')).toMatchObject({ done: false });
  expect(at.done).toEqual([]);
});

test('the help lists what someone may use', async () => {
  const at = await bench();
  const { reply } = await at.run('!help');
  for (const name of ['!stop', '!kill', '!cd <path>', '!worktree', '!invite @name'])
    expect(reply).toContain(name);
  const ofGuest = (await at.run('!help', 'guest')).reply;
  expect(ofGuest).toContain('!stop');
  expect(ofGuest).not.toContain('!kill');
});

test('the agent’s own commands are its own to know', async () => {
  const at = await bench();
  at.slashCommands = ['compact'];
  expect(await at.run('!context')).toEqual({ done: false, reply: 'This agent has no `/context`.' });
  at.slashCommands = [];
  expect(await at.run('!context')).toMatchObject({ done: true });
});

test('the cost, the mode of listening and the folder are told', async () => {
  const at = await bench();
  expect((await at.run('!cost')).reply).toContain('$1.50');
  expect((await at.run('!mentions')).reply).toContain('all messages');
  expect((await at.run('!cd')).reply).toContain(join(at.folder, 'work'));
  expect((await at.run('!worktree')).reply).toContain('!worktree <branch>');
  expect((await at.run('!worktree list')).reply).toContain('No worktree has been made');
  expect((await at.run('!worktree remove')).reply).toContain('!worktree <branch>');
  expect((await at.run('!worktree remove x --force')).reply).toBe('⚠️ not now');
  expect(at.done.at(-1)).toEqual(['removeWorktree', join(at.folder, 'work'), 'x', true, OWNER.id]);
});
