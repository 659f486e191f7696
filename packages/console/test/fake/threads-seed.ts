import type { Question, ThreadSession } from '../../src/api/threads.ts';
import { seedMemory } from './memory-seed.ts';
import { ago } from './seed.ts';
import type { FakePostern } from './server.ts';

const MINUTE = 60_000;

export const liveId = 'ses_00000000000000000000000001';
export const endedId = 'ses_00000000000000000000000002';
export const permissionId = 'que_00000000000000000000000001';

const live: ThreadSession = {
  id: liveId,
  platform_id: 'office',
  channel_id: 'C042',
  thread_id: '1764500000.000100',
  kind: 'thread',
  state: 'active',
  owner: { id: 'U017', name: 'olga' },
  participants: [{ id: 'U021', name: 'alan', invited_by: 'U017' }],
  working_dir: '/srv/shop/checkout-service',
  worktree: { branch: 'fix/rounding', path: '/srv/worktrees/fix-rounding', repository: '/srv/shop' },
  permission_mode: 'default',
  mentions_only: false,
  is_unattended: false,
  title: 'Rounding of totals in the checkout',
  queued: 2,
  open_questions: 1,
  cost_usd: 0.42,
  created_at: ago(40 * MINUTE).toISOString(),
  active_at: ago(MINUTE).toISOString(),
  ended_at: null,
  end_reason: null,
  permalink: 'https://office.slack.example/archives/C042/p1764500000000100',
};

const permission: Question = {
  id: permissionId,
  kind: 'permission',
  platform_id: 'office',
  session_id: liveId,
  channel_id: 'C042',
  thread_id: live.thread_id,
  markdown:
    'Permission requested: **Bash**\n\n```sh\nnpm run migrate -- --to 0042_totals && npm test -- --filter checkout\n```',
  options: [
    { key: 'allow', emoji: '+1', label: 'Allow once' },
    {
      key: 'always',
      emoji: 'white_check_mark',
      label: 'Allow all further uses of mcp__tracker__update_work_item in this session',
    },
    { key: 'deny', emoji: '-1', label: 'Deny' },
  ],
  takes_text: false,
  approvers: 'all_users',
  title: 'Bash',
  tool: 'Bash',
  input_hash: '9a0c',
  state: 'open',
  decision: null,
  created_at: ago(MINUTE).toISOString(),
  deadline_at: new Date(ago(0).getTime() + MINUTE).toISOString(),
  decided_at: null,
};

export function seedThreads({ threads: { state, memory } }: FakePostern): void {
  seedMemory(memory.state);
  state.isOn = true;
  state.platforms = [
    {
      id: 'office',
      kind: 'slack',
      status: 'ok',
      detail: null,
      channel: { id: 'C042', name: 'checkout' },
      bot_name: 'postern',
      permission_mode: 'default',
      features: ['memory', 'routines', 'watches', 'files_out', 'record'],
    },
    {
      id: 'lab',
      kind: 'mattermost',
      status: 'failed',
      detail: 'The server refuses the token; make a new one.',
      channel: { id: '4xp9fdt7pbgium38k1', name: null },
      bot_name: 'postern',
      permission_mode: 'auto',
      features: ['whole_channel'],
    },
  ];
  state.accounts = [
    { id: 'team', login: 'home', running: 2, paused: 1, limited_until: null },
    {
      id: 'spare',
      login: 'api_key',
      running: 0,
      paused: 0,
      limited_until: new Date(ago(0).getTime() + 60 * MINUTE).toISOString(),
    },
  ];
  state.tasks = [
    {
      id: 'rtn_00000000000000000000000001',
      kind: 'routine',
      platform_id: 'office',
      channel_id: 'C042',
      name: 'Open pull requests',
      prompt: 'Sum up the pull requests that wait for a review, the oldest first.',
      schedule: {
        preset: 'weekdays',
        time: '09:00',
        weekday: null,
        timezone: 'Pacific/Apia',
        in_words: 'Monday to Friday at 09:00 (Pacific/Apia)',
      },
      condition: null,
      keywords: [],
      is_enabled: true,
      disabled_reason: null,
      failures: 0,
      fault: null,
      rest: null,
      creator: { id: 'U017', name: 'olga' },
      created_at: ago(9_000 * MINUTE).toISOString(),
      next_run_at: '2030-05-05T20:00:00.000Z',
      runs: [
        {
          id: 'fir_00000000000000000000000002',
          due_at: ago(60 * MINUTE).toISOString(),
          state: 'done',
          outcome: 'succeeded',
          detail: null,
          count: 1,
          session_id: liveId,
          ended_at: ago(58 * MINUTE).toISOString(),
        },
        {
          id: 'fir_00000000000000000000000001',
          due_at: ago(1_500 * MINUTE).toISOString(),
          state: 'done',
          outcome: 'missed',
          detail: null,
          count: 2,
          session_id: null,
          ended_at: ago(1_400 * MINUTE).toISOString(),
        },
      ],
    },
    {
      id: 'wtc_00000000000000000000000001',
      kind: 'watch',
      platform_id: 'office',
      channel_id: 'C042',
      name: 'Outages',
      prompt: 'Look at the logs of the last hour.',
      schedule: null,
      condition: 'someone reports that the shop is down',
      keywords: ['down', 'outage'],
      is_enabled: false,
      disabled_reason: '3 runs in a row failed',
      failures: 3,
      fault: null,
      rest: null,
      creator: { id: 'U021', name: 'alan' },
      created_at: ago(8_000 * MINUTE).toISOString(),
      next_run_at: null,
      runs: [],
    },
  ];
  state.sessions = [
    live,
    {
      ...live,
      id: endedId,
      state: 'ended',
      title: null,
      participants: [],
      worktree: null,
      queued: 0,
      open_questions: 0,
      ended_at: ago(9 * MINUTE).toISOString(),
      end_reason: 'ended by olga',
    },
  ];
  state.questions = [
    permission,
    {
      ...permission,
      id: 'que_00000000000000000000000002',
      kind: 'plan',
      tool: null,
      title: 'Plan',
      markdown: 'The plan:\n\n1. Read the totals\n2. Round once, at the end',
      state: 'decided',
      decision: {
        option: 'allow',
        text: null,
        by: { id: 'U021', name: 'alan', via: 'reaction' },
        reason: null,
      },
      options: [
        { key: 'allow', emoji: '+1', label: 'Go ahead' },
        { key: 'deny', emoji: '-1', label: 'Keep planning' },
      ],
      decided_at: ago(20 * MINUTE).toISOString(),
    },
    {
      ...permission,
      id: 'que_00000000000000000000000003',
      state: 'expired',
      decision: { option: null, text: null, by: null, reason: 'expired' },
      decided_at: ago(30 * MINUTE).toISOString(),
    },
  ];
  state.audit = [
    {
      seq: 3,
      time: ago(20 * MINUTE).toISOString(),
      action: 'permission',
      actor: 'U021',
      actor_name: 'alan',
      session: liveId,
      tool: 'Write',
      details: {
        question: permissionId,
        title: 'Write',
        input_hash: '3f9a',
        decision: 'always',
        via: 'reaction',
      },
    },
    {
      seq: 2,
      time: ago(21 * MINUTE).toISOString(),
      action: 'tool_use',
      actor: 'agent',
      actor_name: null,
      session: liveId,
      tool: 'Write',
      details: { toolUseId: 'toolu_01F', input_hash: '3f9a', isSubagent: false },
    },
    {
      seq: 1,
      time: ago(40 * MINUTE).toISOString(),
      action: 'session_started',
      actor: 'U017',
      actor_name: 'olga',
      session: liveId,
      tool: null,
      details: { workingDir: '/srv/shop/checkout-service', permissionMode: 'default' },
    },
  ];
}
