import { expect, test } from 'vitest';
import { threadsConfigSchema, toThreadsConfig } from './config.ts';

const local = { id: 'chat', type: 'local', channelId: 'local:agents' };
const parse = (section: object) =>
  threadsConfigSchema.safeParse({ workingDir: 'work', platforms: [local], ...section });
const parsed = (section: object = {}) =>
  threadsConfigSchema.parse({ workingDir: 'work', platforms: [local], ...section });

test('the defaults are the contract’s', () => {
  const config = toThreadsConfig(parsed(), { base: '/srv/postern', home: '/home/op' });
  expect(config).toMatchObject({
    workingDir: '/srv/postern/work',
    worktreeMode: 'off',
    respondOnlyWhenMentioned: false,
    userAttribution: true,
    decisionTimeoutMs: 3_600_000,
    limits: {
      maxSessions: 5,
      sessionTimeoutMinutes: 30,
      sessionWarningMinutes: 5,
      permissionTimeoutSeconds: 120,
      flushDelayMs: 500,
      maxRoutines: 10,
      maxWatches: 10,
    },
    platforms: [
      {
        id: 'chat',
        botName: 'postern',
        allowedUsers: [],
        permissionMode: 'default',
        approvals: null,
        outboundFiles: { enabled: true, maxBytes: 104_857_600 },
        memory: true,
        routines: false,
        watches: false,
        directChannelMode: { enabled: false },
        directMessages: false,
        sessionHeader: 'full',
        stickyMessage: 'hidden',
        ackReaction: null,
        auditLog: true,
        allowedBots: [],
      },
    ],
  });
});

test.each([
  ['off', { enabled: false, respondTo: 'all_messages' }],
  [false, { enabled: false, respondTo: 'all_messages' }],
  ['all_messages', { enabled: true, respondTo: 'all_messages' }],
  ['mention', { enabled: true, respondTo: 'mention' }],
  [{ respondTo: 'mention' }, { enabled: true, respondTo: 'mention' }],
  [
    { enabled: false, respondTo: 'mention' },
    { enabled: false, respondTo: 'mention' },
  ],
])('directChannelMode %j is understood', (written, expected) => {
  const { platforms } = parsed({ platforms: [{ ...local, directChannelMode: written }] });
  expect(platforms[0]?.directChannelMode).toEqual(expected);
});

test.each([
  ['off', null],
  [false, null],
  ['eyes', 'eyes'],
  [':eyes:', 'eyes'],
])('ackReaction %j is understood', (written, expected) => {
  const { platforms } = parsed({ platforms: [{ ...local, ackReaction: written }] });
  expect(platforms[0]?.ackReaction).toBe(expected);
});

test('two platforms of one id are refused', () => {
  expect(parse({ platforms: [local, { ...local, channelId: 'local:other' }] }).success).toBe(false);
});

test('each type of platform needs what connects it, and takes nothing else', () => {
  const mattermost = {
    id: 'mm',
    type: 'mattermost',
    url: 'https://chat.example',
    token: 't',
    channelId: 'c',
  };
  const slack = { id: 's', type: 'slack', botToken: 'b', appToken: 'a', channelId: 'C1' };
  expect(parse({ platforms: [local, mattermost, slack] }).success).toBe(true);
  const { token, ...withoutToken } = mattermost;
  expect(token).toBe('t');
  expect(parse({ platforms: [withoutToken] }).success).toBe(false);
  expect(parse({ platforms: [{ ...local, token: 't' }] }).success).toBe(false);
});

test('an account of the pool has either a home or a file with its key', () => {
  expect(parse({ claudeAccounts: [{ id: 'a' }] }).success).toBe(false);
  expect(parse({ claudeAccounts: [{ id: 'a', home: '/a', apiKeyFile: '/b' }] }).success).toBe(false);
  expect(parsed({ claudeAccounts: [{ id: 'a', home: '~/a' }] }).claudeAccounts).toHaveLength(1);
});

test('paths start where the file is, and ~ is the home', () => {
  const config = toThreadsConfig(parsed({ workingDir: '~/work', allowedDirs: ['../lib', '/opt/x'] }), {
    base: '/srv/postern',
    home: '/home/op',
  });
  expect(config.workingDir).toBe('/home/op/work');
  expect(config.allowedDirs).toEqual(['/srv/lib', '/opt/x']);
});
