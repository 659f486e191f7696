import type { Approvers, Decision, NewQuestion, QuestionOption, Questions } from './question.ts';

/** Where and of whom something is asked; the same for all of a session's questions. */
export interface AskScope {
  readonly questions: Questions;
  readonly platformId: string;
  readonly sessionId: string | null;
  readonly channelId: string;
  /** Null asks in the channel. */
  readonly threadId: string | null;
  readonly approvers: Approvers['rule'];
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
}

export function scoped(
  scope: AskScope,
  question: Pick<NewQuestion, 'kind' | 'markdown' | 'options' | 'takesText' | 'subject'>,
): NewQuestion {
  const { platformId, sessionId, channelId, threadId, deadlineMs } = scope;
  return {
    ...question,
    platformId,
    sessionId,
    channelId,
    threadId,
    deadlineMs,
    approvers: { rule: scope.approvers },
  };
}

/** What the agent CLI's permission call answers. */
export type PermissionAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: 'deny'; readonly message: string };

export const ALLOW_ONCE: QuestionOption = {
  key: 'allow',
  emoji: '+1',
  label: 'Allow once',
  decided: 'Allowed once',
};

export const DENY: QuestionOption = { key: 'deny', emoji: '-1', label: 'Deny', decided: 'Denied' };

/** Why a decision that is no yes was none, for the agent to read. */
export function refusal(decision: Decision): string {
  switch (decision.kind) {
    case 'expired':
      return 'Nobody answered in time, so it was not allowed.';
    case 'withdrawn':
      return 'The question was closed without an answer, so it was not allowed.';
    default:
      return `${decision.by.name} said no.`;
  }
}
