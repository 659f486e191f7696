import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waiting that belongs to the machine and not to the product: pauses before a retry, deadlines against
 * something that hangs. They run on real timers on purpose, since a test that stands its clock still must
 * not make a busy database wait for ever.
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal ? { signal } : {});
  } catch {
    // Only an abort gets here, and whoever aborted knows.
  }
}

/** The outcome of `work`, or the rejection with `late()` when it takes longer than the deadline. */
export async function withDeadline<T>(milliseconds: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Grows from `first` by doubling to `most`, with up to a half taken off by chance so that rivals part. */
export function backoffMilliseconds(attempt: number, first: number, most: number): number {
  const full = Math.min(most, first * 2 ** (attempt - 1));
  return full * (1 - Math.random() / 2);
}
