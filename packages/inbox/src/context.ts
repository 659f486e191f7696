import type { Inbox } from './inbox.ts';

export type InboxScope = 'read' | 'send';

/** What an operation takes to be called. */
export interface InboxRights {
  /**
   * `read` and `send` are for agents, `admin` for the operator alone; `any` takes every good credential,
   * `attachment` a signed address too.
   */
  readonly scope: InboxScope | 'admin' | 'any' | 'attachment';
  /** Whether X-Agent-ID must be there. */
  readonly agent: 'required' | 'optional';
}

/** Who calls, after authentication. */
export interface InboxCaller {
  readonly kind: 'bearer' | 'token' | 'admin' | 'signature';
  /** Id of the credential, for the idempotency scope and the audit (`bearer`, `tok_…`, `bootstrap`). */
  readonly credential: string;
  readonly agentId: string | null;
}

export interface InboxContext {
  readonly inbox: Inbox;
  readonly caller: InboxCaller;
  readonly requestId: string;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
  /** Aborts when the server begins to stop, so that waiting calls can answer. */
  readonly closing: AbortSignal;
  /** Request header by lower-case name; none over MCP but what the transport sets. */
  header(name: string): string | undefined;
}
