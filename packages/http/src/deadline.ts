/** A bound on how long one call may take. */

/**
 * Runs `work` with a signal that aborts with the given one or when the time is up. When it is up, `late`
 * makes the answer at once; what `work` does afterwards no longer matters, and may not become an unhandled
 * rejection.
 */
export async function withDeadline<Result>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
  late: () => Result,
): Promise<Result> {
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<Result>((resolve) => {
    timer = setTimeout(() => {
      resolve(late());
      deadline.abort(new DOMException('The deadline of the call has passed.', 'TimeoutError'));
    }, milliseconds);
  });
  const running = work(AbortSignal.any([signal, deadline.signal]));
  running.catch(() => {});
  try {
    return await Promise.race([running, over]);
  } finally {
    clearTimeout(timer);
  }
}
