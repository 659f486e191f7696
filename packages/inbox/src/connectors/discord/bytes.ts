import type { Clock } from '@postern/kit';
import type { DiscordPauses } from './options.ts';
import type { FetchBytes } from './translate.ts';

/** Tries of one file; its message waits for it. */
const TRIES = 3;

/**
 * Fetches the bytes behind a link to a file that Discord gave with a message. The link itself is the credential, so
 * nothing of the account goes along, and it leads to where it says or nowhere. There is no second chance once the
 * message is stored, so what may pass (no answer, too many calls, inner failures) is tried again.
 */
export function fileFetcher(clock: Clock, pauses: DiscordPauses): FetchBytes {
  return async (url, signal) => {
    let pause = pauses.firstMs;
    for (let tries = 1; ; tries += 1) {
      const answer = await asked(url, signal, { clock, answerMs: pauses.fileMs }).catch((error: unknown) => {
        if (signal.aborted || tries >= TRIES) throw error;
        return null;
      });
      if (answer?.ok && answer.body) return answer.body;
      await answer?.body?.cancel();
      const mayPass = answer === null || answer.status === 429 || answer.status >= 500;
      if (!mayPass || tries >= TRIES) throw new Error(`the file's link answered ${answer?.status}`);
      await clock.sleep(pause, signal);
      pause = Math.min(pause * 2, pauses.longestMs);
    }
  };
}

/** The head of an answer, within a time; for its body there is as much as the signal leaves. */
async function asked(
  url: string,
  signal: AbortSignal,
  { clock, answerMs }: { readonly clock: Clock; readonly answerMs: number },
): Promise<Response> {
  const late = new AbortController();
  const answered = new AbortController();
  void clock.sleep(answerMs, answered.signal).then(() => {
    if (!answered.signal.aborted) late.abort(new DOMException('The link gave no answer.', 'TimeoutError'));
  });
  try {
    return await fetch(url, { signal: AbortSignal.any([signal, late.signal]), redirect: 'error' });
  } finally {
    answered.abort();
  }
}
