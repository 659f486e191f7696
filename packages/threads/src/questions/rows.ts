import * as z from 'zod';
import type { PostRef } from '../platforms/platform.ts';
import type { QuestionTable } from '../tables.ts';
import type { Approvers, Decision, NewQuestion, QuestionKind, QuestionView } from './question.ts';

const option = z.object({
  key: z.string(),
  emoji: z.string().nullable(),
  label: z.string(),
  decided: z.string().optional(),
});

const by = z.object({ id: z.string(), name: z.string(), via: z.enum(['reaction', 'typed', 'console']) });

const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chosen'), option: z.string(), by }),
  z.object({ kind: z.literal('typed'), text: z.string(), by }),
  z.object({ kind: z.literal('expired') }),
  z.object({
    kind: z.literal('withdrawn'),
    reason: z.enum(['cancelled', 'restarted', 'session_ended', 'superseded']),
  }),
]);

const subject = z.object({
  title: z.string(),
  tool: z.string().exactOptional(),
  inputHash: z.string().exactOptional(),
});

const kind = z.enum([
  'permission',
  'plan',
  'choice',
  'direct_message',
  'outsider_message',
  'routine',
  'watch',
  'worktree',
]) satisfies z.ZodType<QuestionKind>;

const approvers = z.enum(['all_users', 'owner', 'owner_or_allowed']) satisfies z.ZodType<Approvers['rule']>;

export function newRow(questionId: string, question: NewQuestion, nowMicroseconds: number): QuestionTable {
  return {
    question_id: questionId,
    platform_id: question.platformId,
    session_id: question.sessionId,
    kind: question.kind,
    channel_id: question.channelId,
    thread_id: question.threadId,
    post_id: null,
    markdown: question.markdown,
    options_json: JSON.stringify(question.options),
    takes_text: question.takesText ? 1 : 0,
    approvers: question.approvers.rule,
    subject_json: JSON.stringify(question.subject),
    state: 'open',
    decision_json: null,
    created_us: nowMicroseconds,
    deadline_us: Math.floor(question.deadlineMs * 1_000),
    decided_us: null,
    follow_up: 'due',
  };
}

export function viewOf(row: QuestionTable): QuestionView {
  return {
    id: row.question_id,
    kind: kind.parse(row.kind),
    platformId: row.platform_id,
    sessionId: row.session_id,
    channelId: row.channel_id,
    threadId: row.thread_id,
    markdown: row.markdown,
    options: z.array(option).parse(JSON.parse(row.options_json)),
    takesText: row.takes_text !== 0,
    approvers: approvers.parse(row.approvers),
    subject: subject.parse(JSON.parse(row.subject_json)),
    state: row.state,
    decision: row.decision_json === null ? null : decisionOf(row.decision_json),
    createdMs: Math.floor(row.created_us / 1_000),
    deadlineMs: Math.floor(row.deadline_us / 1_000),
    decidedMs: row.decided_us === null ? null : Math.floor(row.decided_us / 1_000),
  };
}

export function refOf(row: QuestionTable): PostRef | null {
  return row.post_id === null ? null : { channelId: row.channel_id, postId: row.post_id };
}

export function decisionOf(json: string): Decision {
  return decision.parse(JSON.parse(json));
}
