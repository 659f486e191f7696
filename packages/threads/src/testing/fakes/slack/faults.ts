/** What a fake Slack does wrong when it is told to. */
export type CallFailure =
  /** 429; without a number of seconds it does not say how long. */
  | { readonly kind: 'rateLimited'; readonly retryAfterS: number | null }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** `{"ok":false,"error":…}` with status 200. */
  | { readonly kind: 'error'; readonly error: string; readonly needed?: string }
  /** It is done, and the connection ends before the answer. */
  | { readonly kind: 'answerLost' }
  /** It is done, and the answer says 503. */
  | { readonly kind: 'doneBut503' }
  /** The connection ends before anything is done. */
  | { readonly kind: 'reset' };

export interface CallFaults {
  /** The next call of the method fails; told several times, the next calls do, in turn. */
  failNext(method: string, ...failures: readonly CallFailure[]): void;
  /** The failure that is due, taken. */
  take(method: string): CallFailure | null;
  /** Notes a refusal; false when a call comes too early after one. */
  isEarly(method: string): boolean;
  hold(method: string, seconds: number): void;
  /** Calls that came before their time. */
  early(): number;
}

export function callFaults(): CallFaults {
  const due = new Map<string, CallFailure[]>();
  const heldUntil = new Map<string, number>();
  let early = 0;
  return {
    failNext(method, ...failures) {
      due.set(method, [...(due.get(method) ?? []), ...failures]);
    },
    take: (method) => due.get(method)?.shift() ?? null,
    isEarly(method) {
      const isEarly = Date.now() < (heldUntil.get(method) ?? 0);
      if (isEarly) early += 1;
      return isEarly;
    },
    // Timers fire up to a millisecond before their time by the wall clock.
    hold: (method, seconds) => void heldUntil.set(method, Date.now() + seconds * 1_000 - 5),
    early: () => early,
  };
}
