/** How long things are waited for, in milliseconds. */
export interface Pauses {
  readonly firstReconnectMs: number;
  readonly longestReconnectMs: number;
  /** Between tries with tokens or a channel that Slack refuses. */
  readonly refusedMs: number;
  readonly helloMs: number;
  /** Before an event that could not be recorded is handed over again, at first. */
  readonly handleMs: number;
}

export const usualPauses: Pauses = {
  firstReconnectMs: 1_000,
  longestReconnectMs: 60_000,
  refusedMs: 60_000,
  helloMs: 30_000,
  handleMs: 200,
};
