import type { Clock } from '@postern/kit';

/** Bounds on what others take, whether or not they listen to a signal. */

/** Runs `work` with a signal that aborts when the time is up, or with the parent; it is for the work to end then. */
export async function withDeadline<Result>(
  clock: Clock,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
  parent?: AbortSignal,
): Promise<Result> {
  const late = new AbortController();
  const settled = new AbortController();
  void clock.sleep(milliseconds, settled.signal).then(() => {
    if (!settled.signal.aborted) late.abort(new DOMException('The time is up.', 'TimeoutError'));
  });
  try {
    return await work(parent ? AbortSignal.any([parent, late.signal]) : late.signal);
  } finally {
    settled.abort();
  }
}

/** What a promise gives, or the signal's reason as soon as it aborts; then nobody waits for the promise any more. */
export async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  promise.catch(() => {});
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The same bytes, until the signal aborts; then the next read rejects with its reason. */
export async function* abortable(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = bytes[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      const next = await untilAborted(reader.next(), signal);
      isDone = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a source that hangs would hang here too.
    if (!isDone) void Promise.resolve(reader.return?.()).catch(() => {});
  }
}
