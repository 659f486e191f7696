import type { ProblemCode } from '@postern/http';
import { operationsOf } from '@postern/kit';
import type { ChatService } from './service.ts';

/** What a handler works with. */
export interface ChatContext {
  readonly chat: ChatService;
  /** Aborts when the server begins to stop. */
  readonly closing: AbortSignal;
  /** A request header by lower-case name. */
  header(name: string): string | undefined;
}

/** The people's side is the operator's: an admin key, or the console's login. */
export type ChatRights = 'admin';

/** Declares an operation of the local chat; one a file under `operations/`. */
export const operation = operationsOf<ChatContext, ChatRights, ProblemCode>();
