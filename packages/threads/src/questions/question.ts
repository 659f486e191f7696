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
   * @param onPosted Called once people can see it.
   * @throws PlatformError when it could not be posted.
   */
  ask(question: NewQuestion, signal: AbortSignal, onPosted?: () => void): Promise<Decision>;
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
  /**
   * Closes what an earlier process left open on the platform, as denied; their posts say so, and so do those of
   * questions that were closed while it went. Called when the platform is connected and before its events are looked
   * at; what this process asked itself stays open.
   */
  closeStale(platformId: string): Promise<void>;
}

/** What else those who run the service need; see `createQuestions`. */
export interface QuestionDesk extends Questions {
  /**
   * Answers the oldest open question of a kind in a session, as `!approve` does for a plan. By the same rule and
   * with the same record as a reaction; a refusal is recorded and leaves it open.
   */
  choose(sessionId: string, kind: QuestionKind, option: string, personId: string): Promise<ChooseOutcome>;
  /** Resolves once every post of a closed question says so, or could not be made to. */
  settled(): Promise<void>;
  /** Stops listening for answers given in other processes. Open questions are withdrawn by their signals. */
  close(): void;
}

export type ChooseOutcome = 'decided' | 'none_open' | 'refused';

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
  /** Of the prefix `qst`, where whoever asks has to know it before; else one is made. */
  readonly id?: string;
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
  /** Milliseconds since the epoch; an answer at or after it comes too late. */
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
  /** Canonical emoji name; null where the post has no room for one, so that it is typed or chosen in the console. */
  readonly emoji: string | null;
  readonly label: string;
  /** What the post says once it is chosen, before `by …`: `Allowed once`. The label where it is missing. */
  readonly decided?: string | undefined;
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
