import type { PostRef } from '../platforms/platform.ts';

/**
 * Whatever is put to people goes through one door: a post with reactions to choose from, one record, one rule
 * of who may answer, one line in the audit log. What the answer leads to is the asker's affair.
 */
export interface Questions {
  /**
   * Puts a question and waits. Resolves with the decision; aborting the signal withdraws it. After a restart an
   * open question is withdrawn (`restarted`) and its post says so: whoever asked is gone, so nothing may run.
   *
   * @throws PlatformError when it could not be posted.
   */
  ask(question: NewQuestion, signal: AbortSignal): Promise<Decision>;
  /** A reaction anywhere on the platform; false when no open question hangs on that post. */
  react(platformId: string, ref: PostRef, personId: string, emoji: string): Promise<boolean>;
  /** A typed message in a session's thread; true when an open question that takes typed answers took it. */
  answerTyped(sessionId: string, personId: string, text: string): Promise<boolean>;
  /** An operator answers in the console. @throws Failure `not_found` or `precondition_failed`. */
  answerFromConsole(questionId: string, option: string, operator: string): Promise<void>;
  /** Open and recent questions, newest first. */
  list(filter: QuestionFilter): Promise<QuestionView[]>;
  openPosts(platformId: string): Promise<PostRef[]>;
  /** Withdraws all open questions of a session, as when it ends. */
  withdrawOf(sessionId: string, reason: WithdrawReason): Promise<void>;
  /** Closes what an earlier process left open on the platform; their posts say so. */
  closeStale(platformId: string): Promise<void>;
}

export type QuestionKind =
  | 'permission'
  | 'plan'
  | 'choice'
  | 'direct_message'
  | 'outsider_message'
  | 'routine'
  | 'watch'
  | 'worktree';

export interface NewQuestion {
  readonly kind: QuestionKind;
  readonly platformId: string;
  /** Null for a question outside any session, as a routine's proposal by command. */
  readonly sessionId: string | null;
  readonly channelId: string;
  readonly threadId: string | null;
  /** What people read; split over several posts when long, the reactions on the last. */
  readonly markdown: string;
  /** In the order of their reactions. */
  readonly options: readonly QuestionOption[];
  /** Whether a typed message in the thread is an answer too. */
  readonly takesText: boolean;
  /** Who may answer, read anew at each answer. */
  readonly approvers: Approvers;
  readonly deadlineMs: number;
  /** What is decided on, for the record: the tool's name, a hash of its input, a short title. */
  readonly subject: { readonly title: string; readonly tool?: string; readonly inputHash?: string };
}

/** `owner`: the session's owner and those the owner invited. `all_users`: also everyone allowed on the platform. */
export type Approvers =
  | { readonly rule: 'all_users' | 'owner' }
  /** The session's owner and the platform's allowed users, guests not. */
  | { readonly rule: 'owner_or_allowed' };

export interface QuestionOption {
  /** Stable word for the record: `allow`, `always`, `deny`, `option_1`. */
  readonly key: string;
  /** Canonical emoji name. */
  readonly emoji: string;
  readonly label: string;
}

export type Decision =
  | {
      readonly kind: 'chosen';
      readonly option: string;
      readonly by: DecidedBy;
    }
  | { readonly kind: 'typed'; readonly text: string; readonly by: DecidedBy }
  | { readonly kind: 'expired' }
  | { readonly kind: 'withdrawn'; readonly reason: WithdrawReason };

export interface DecidedBy {
  readonly id: string;
  readonly name: string;
  readonly via: 'reaction' | 'typed' | 'console';
}

export type WithdrawReason = 'cancelled' | 'restarted' | 'session_ended' | 'superseded';

export interface QuestionFilter {
  readonly state?: 'open' | 'closed';
  readonly platformId?: string;
  readonly sessionId?: string;
  readonly limit: number;
}

export interface QuestionView {
  readonly id: string;
  readonly kind: QuestionKind;
  readonly platformId: string;
  readonly sessionId: string | null;
  readonly channelId: string;
  readonly threadId: string | null;
  readonly markdown: string;
  readonly options: readonly QuestionOption[];
  readonly takesText: boolean;
  readonly approvers: Approvers['rule'];
  readonly subject: NewQuestion['subject'];
  readonly state: 'open' | 'decided' | 'expired' | 'withdrawn';
  readonly decision: Decision | null;
  readonly createdMs: number;
  readonly deadlineMs: number;
  readonly decidedMs: number | null;
}
