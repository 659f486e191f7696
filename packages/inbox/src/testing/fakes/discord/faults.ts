/** How the fake misbehaves. Each queue holds orders for the next calls of its kind, first one first. */

export type RestKind =
  | 'send'
  | 'read'
  | 'file'
  | 'gateway'
  | 'channel'
  | 'archive'
  | 'private-archive'
  | 'typing'
  | 'self'
  | 'application';

export type RestFault =
  /** Answers with this status, and Discord's own code where one is given; nothing is done. */
  | { readonly status: number; readonly code?: number; readonly message?: string }
  /** Something on the way answers in Discord's place, with a page of its own. */
  | { readonly foreign: number }
  /** 429; the call may come again after so long. */
  | { readonly retryAfterMs: number; readonly global?: boolean }
  /** Does it, and breaks the connection instead of answering. */
  | 'lose-answer'
  /** Breaks the connection, and does nothing. */
  | 'lose-call'
  /** Never answers. */
  | 'hang';

export interface Faults {
  readonly rest: Map<RestKind, RestFault[]>;
  /** The next live event comes so many times. */
  repeatNext: boolean;
  /** The next two live events come in the wrong order. */
  swapNext: boolean;
  /** The gateway closes the next connections with these codes when they identify. */
  readonly closeIdentify: number[];
  /** Privileged intents that the operator has not switched on. */
  disallowedIntents: number;
  /** RESUMEs are answered as if the sessions were unknown. */
  refuseResume: boolean;
  /** RESUMEs are not answered, and the connection stays. */
  muteResume: boolean;
  /** Heartbeats are not answered. */
  muteHeartbeats: boolean;
}

export function noFaults(): Faults {
  return {
    rest: new Map(),
    repeatNext: false,
    swapNext: false,
    closeIdentify: [],
    disallowedIntents: 0,
    refuseResume: false,
    muteResume: false,
    muteHeartbeats: false,
  };
}
