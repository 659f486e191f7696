import type { Platform, PostRef } from '../platforms/platform.ts';
import type { Decision, NewQuestion } from './question.ts';

/** A question this process has asked and waits for. Only such a one can be answered into anything. */
export interface OpenQuestion {
  readonly id: string;
  readonly question: NewQuestion;
  /** Where it was asked; it takes edits also while the process goes down. */
  readonly platform: Platform;
  readonly deadlineMicroseconds: number;
  /** Null until it is posted. */
  ref: PostRef | null;
  /** Resolves once the row is written, or could not be. */
  readonly recorded: Promise<void>;
  /** Resolves once the posting is over, well or not. */
  readonly posted: Promise<void>;
  readonly decided: Promise<Decision>;
  /** Aborted as soon as the question is closed. */
  readonly over: AbortController;
  /** Who was refused what already, so that the same refusal is on record once. */
  readonly refused: Set<string>;
  markRecorded(): void;
  markPosted(): void;
  decide(decision: Decision): void;
}

export function openQuestion(id: string, question: NewQuestion, platform: Platform): OpenQuestion {
  const recorded = Promise.withResolvers<void>();
  const posted = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<Decision>();
  return {
    id,
    question,
    platform,
    deadlineMicroseconds: Math.floor(question.deadlineMs * 1_000),
    ref: null,
    recorded: recorded.promise,
    posted: posted.promise,
    decided: decided.promise,
    over: new AbortController(),
    refused: new Set(),
    markRecorded: recorded.resolve,
    markPosted: posted.resolve,
    decide: decided.resolve,
  };
}

/** The open questions of the process, oldest first, found by their posts too. */
export interface OpenQuestions {
  add(open: OpenQuestion): void;
  /** The post is known now. */
  place(open: OpenQuestion, ref: PostRef): void;
  remove(open: OpenQuestion): void;
  byId(questionId: string): OpenQuestion | undefined;
  byPost(platformId: string, ref: PostRef): OpenQuestion | undefined;
  all(): OpenQuestion[];
  ofSession(sessionId: string): OpenQuestion[];
}

export function openQuestions(): OpenQuestions {
  const byId = new Map<string, OpenQuestion>();
  const byPost = new Map<string, OpenQuestion>();
  const keyOf = (platformId: string, ref: PostRef) => JSON.stringify([platformId, ref.channelId, ref.postId]);
  return {
    add: (open) => void byId.set(open.id, open),
    place(open, ref) {
      open.ref = ref;
      if (byId.has(open.id)) byPost.set(keyOf(open.question.platformId, ref), open);
    },
    remove(open) {
      byId.delete(open.id);
      if (open.ref !== null) byPost.delete(keyOf(open.question.platformId, open.ref));
    },
    byId: (questionId) => byId.get(questionId),
    byPost: (platformId, ref) => byPost.get(keyOf(platformId, ref)),
    all: () => [...byId.values()],
    ofSession: (sessionId) => [...byId.values()].filter(({ question }) => question.sessionId === sessionId),
  };
}
