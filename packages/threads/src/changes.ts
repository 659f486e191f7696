import { Readable } from 'node:stream';
import { problem } from '@postern/http';
import type { Clock } from '@postern/kit';
import type { Store } from '@postern/store';

/** What changed, live: only which session or question, so that a missed event costs a look and no truth. */

const MOST_STREAMS = 100;
const MOST_WAITING = 500;
const BEAT_MS = 15_000;
const RETRY_MS = 1_000;

export interface Changes {
  /** A stream of server-sent events until the signal aborts. @throws Failure rate_limited when there are too many. */
  open(closing: AbortSignal): Readable;
  close(): void;
}

/** @param channels Store notifications, each with the name of its event; the payload is an id. */
export function changeStreams(
  { store, clock }: { readonly store: Pick<Store<unknown>, 'listen'>; readonly clock: Clock },
  channels: readonly (readonly [event: string, channel: string])[],
): Changes {
  const over = new AbortController();
  let streams = 0;
  return {
    open(closing) {
      if (streams >= MOST_STREAMS) throw problem('rate_limited', 'Too many event streams are open.');
      streams += 1;
      const ended = new AbortController();
      const signal = AbortSignal.any([closing, over.signal, ended.signal]);
      /** Changes the client has not taken; one that falls far behind is told to look at everything. */
      const waiting = new Set<string>();
      let isWanted = false;
      const flush = () => {
        while (isWanted && waiting.size > 0) {
          const [text] = waiting;
          if (text === undefined) return;
          waiting.delete(text);
          isWanted = stream.push(text);
        }
      };
      const add = (text: string) => {
        if (waiting.size >= MOST_WAITING) {
          waiting.clear();
          for (const [event] of channels) waiting.add(eventText(event, ''));
        }
        waiting.add(text);
        flush();
      };
      const stream = new Readable({
        read() {
          isWanted = true;
          flush();
        },
        destroy(error, done) {
          ended.abort();
          done(error);
        },
      });
      const stops = channels.map(([event, channel]) =>
        store.listen(channel, (id) => add(eventText(event, id))),
      );
      const end = () => {
        for (const stop of stops) stop();
        streams -= 1;
        if (!stream.destroyed) stream.push(null);
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      add(`retry: ${RETRY_MS}\n\n`);
      void (async () => {
        while (!signal.aborted) {
          await clock.sleep(BEAT_MS, signal);
          if (!signal.aborted) add(': beat\n\n');
        }
      })();
      return stream;
    },
    close: () => over.abort(),
  };
}

/** Without an id, anything may have changed. */
function eventText(event: string, id: string): string {
  return `event: ${event}\ndata: ${JSON.stringify({ id: id === '' ? null : id })}\n\n`;
}
