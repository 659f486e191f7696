import { formatMilliseconds } from '@postern/kit';
import * as z from 'zod';
import type { PlatformBehaviour } from './config.ts';
import type { QuestionView } from './questions/question.ts';
import type { AccountView } from './sessions/accounts.ts';
import type { RoomHealth } from './sessions/manager.ts';
import type { SessionView } from './sessions/session.ts';

/** How sessions and questions look over REST. */

const time = z.string();
const person = z.object({ id: z.string(), name: z.string() });

export const sessionStateSchema = z.enum(['starting', 'active', 'interrupted', 'paused', 'ended']);

export const sessionSchema = z.object({
  id: z.string(),
  platform_id: z.string(),
  channel_id: z.string(),
  thread_id: z.string(),
  kind: z.enum(['thread', 'channel']),
  state: sessionStateSchema,
  owner: person,
  participants: z.array(person.extend({ invited_by: z.string() })),
  working_dir: z.string(),
  worktree: z.object({ branch: z.string(), path: z.string(), repository: z.string() }).nullable(),
  permission_mode: z.enum(['default', 'auto', 'bypass']),
  mentions_only: z.boolean(),
  is_unattended: z.boolean(),
  title: z.string().nullable(),
  queued: z.int(),
  /** What people are asked in it and have not decided. */
  open_questions: z.int(),
  cost_usd: z.number(),
  created_at: time,
  active_at: time,
  ended_at: time.nullable(),
  end_reason: z.string().nullable(),
  /** Where it is on its platform: its thread, or a post of its channel; null where that is not known here. */
  permalink: z.string().nullable(),
});

export function sessionShape(view: SessionView, permalink: string | null): z.input<typeof sessionSchema> {
  return {
    id: view.id,
    platform_id: view.platformId,
    channel_id: view.channelId,
    thread_id: view.threadId,
    kind: view.kind,
    state: view.state,
    owner: view.owner,
    participants: view.participants.map(({ id, name, invitedBy }) => ({ id, name, invited_by: invitedBy })),
    working_dir: view.workingDir,
    worktree: view.worktree,
    permission_mode: view.permissionMode,
    mentions_only: view.mentionsOnly,
    is_unattended: view.isUnattended,
    title: view.title,
    queued: view.queued,
    open_questions: view.openQuestions,
    cost_usd: view.costUsd,
    created_at: formatMilliseconds(view.createdMs),
    active_at: formatMilliseconds(view.activeMs),
    ended_at: view.endedMs === null ? null : formatMilliseconds(view.endedMs),
    end_reason: view.endReason,
    permalink,
  };
}

const decidedBy = person.extend({ via: z.enum(['reaction', 'typed', 'console']) });

export const questionSchema = z.object({
  id: z.string(),
  kind: z.enum([
    'permission',
    'plan',
    'choice',
    'direct_message',
    'outsider_message',
    'routine',
    'watch',
    'worktree',
  ]),
  platform_id: z.string(),
  session_id: z.string().nullable(),
  channel_id: z.string(),
  thread_id: z.string().nullable(),
  /** What people read on the platform, in Markdown. */
  markdown: z.string(),
  options: z.array(z.object({ key: z.string(), emoji: z.string().nullable(), label: z.string() })),
  takes_text: z.boolean(),
  approvers: z.enum(['all_users', 'owner', 'owner_or_allowed']),
  title: z.string(),
  tool: z.string().nullable(),
  input_hash: z.string().nullable(),
  state: z.enum(['open', 'decided', 'expired', 'withdrawn']),
  decision: z
    .object({
      option: z.string().nullable(),
      text: z.string().nullable(),
      by: decidedBy.nullable(),
      reason: z.string().nullable(),
    })
    .nullable(),
  created_at: time,
  deadline_at: time,
  decided_at: time.nullable(),
});

export function questionShape(view: QuestionView): z.input<typeof questionSchema> {
  return {
    id: view.id,
    kind: view.kind,
    platform_id: view.platformId,
    session_id: view.sessionId,
    channel_id: view.channelId,
    thread_id: view.threadId,
    markdown: view.markdown,
    options: view.options.map(({ key, emoji, label }) => ({ key, emoji, label })),
    takes_text: view.takesText,
    approvers: view.approvers,
    title: view.subject.title,
    tool: view.subject.tool ?? null,
    input_hash: view.subject.inputHash ?? null,
    state: view.state,
    decision: decisionShape(view.decision),
    created_at: formatMilliseconds(view.createdMs),
    deadline_at: formatMilliseconds(view.deadlineMs),
    decided_at: view.decidedMs === null ? null : formatMilliseconds(view.decidedMs),
  };
}

function decisionShape(decision: QuestionView['decision']) {
  if (decision === null) return null;
  return {
    option: decision.kind === 'chosen' ? decision.option : null,
    text: decision.kind === 'typed' ? decision.text : null,
    by: decision.kind === 'chosen' || decision.kind === 'typed' ? decision.by : null,
    reason: decision.kind === 'withdrawn' ? decision.reason : decision.kind === 'expired' ? 'expired' : null,
  };
}

const platformFeatures = [
  'memory',
  'routines',
  'watches',
  'whole_channel',
  'direct_messages',
  'files_out',
  'record',
] as const;

type PlatformFeature = (typeof platformFeatures)[number];

/** A configured platform as operators see it. */
export interface PlatformView {
  readonly health: RoomHealth;
  readonly behaviour: PlatformBehaviour;
  readonly channel: { readonly id: string; readonly name: string | null };
}

export const platformSchema = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.enum(['connecting', 'ok', 'degraded', 'failed', 'standby', 'stopped']),
  detail: z.string().nullable(),
  /** Where the bot listens. */
  channel: z.object({
    id: z.string(),
    /** Null where it is not known just now. */
    name: z.string().nullable(),
  }),
  bot_name: z.string(),
  /** How far sessions may go without asking. */
  permission_mode: z.enum(['default', 'auto', 'bypass']),
  /** What is turned on there. */
  features: z.array(z.enum(platformFeatures)),
});

export function platformShape({ health, behaviour, channel }: PlatformView): z.input<typeof platformSchema> {
  const { id, kind, status, detail = null } = health;
  const isOn: Readonly<Record<PlatformFeature, boolean>> = {
    memory: behaviour.memory,
    routines: behaviour.routines,
    watches: behaviour.watches,
    whole_channel: behaviour.directChannelMode.enabled,
    direct_messages: behaviour.directMessages,
    files_out: behaviour.outboundFiles.enabled,
    record: behaviour.auditLog,
  };
  return {
    id,
    kind,
    status,
    detail,
    channel,
    bot_name: behaviour.botName,
    permission_mode: behaviour.permissionMode,
    features: platformFeatures.filter((feature) => isOn[feature]),
  };
}

/** A login of the agent's program, of the pool that sessions are spread over. */
export const accountSchema = z.object({
  id: z.string(),
  login: z.enum(['home', 'api_key']),
  /** Sessions whose agent runs with it. */
  running: z.int(),
  /** Paused sessions that go on with it. */
  paused: z.int(),
  /** Until then no session is begun with it while another is free; null when it has not reached its limit. */
  limited_until: time.nullable(),
});

export function accountShape(view: AccountView): z.input<typeof accountSchema> {
  return {
    id: view.id,
    login: view.login,
    running: view.running,
    paused: view.paused,
    limited_until: view.limitedUntilMs === null ? null : formatMilliseconds(view.limitedUntilMs),
  };
}

export const reference = z.string().min(1).max(200);
