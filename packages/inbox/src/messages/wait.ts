import { FEED_CHANNEL, type InboxPorts } from '../ports.ts';

/** Callers that may wait at a time; one more is answered at once, as if its time were up. */
const MOST_WAITING = 1_000;

/**
 * Lists now, and again whenever something new may be there, until a page is not empty or the time is up.
 * An aborted signal ends the wait with what there is.
 */
export async function waitForMessages<Row>(
  ports: Pick<InboxPorts, 'store' | 'clock'>,
  waiting: { count: number },
  list: () => Promise<Row[]>,
  seconds: number,
  signal: AbortSignal,
): Promise<Row[]> {
  if (seconds === 0 || waiting.count >= MOST_WAITING) return list();
  let news = false;
  let wake = () => {};
  // Listening starts before the first look, or a message between the two would be missed.
  const stopListening = ports.store.listen(FEED_CHANNEL, () => {
    news = true;
    wake();
  });
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  let timeUp = false;
  const timer = ports.clock.sleep(seconds * 1_000, ended).then(() => {
    timeUp = true;
    wake();
  });
  waiting.count += 1;
  try {
    for (;;) {
      news = false;
      const rows = await list();
      if (rows.length > 0 || timeUp || signal.aborted) return rows;
      if (!news) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (news || timeUp) resolve();
        });
      }
    }
  } finally {
    waiting.count -= 1;
    stopListening();
    over.abort();
    await timer;
  }
}
