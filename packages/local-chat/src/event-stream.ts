import { Readable } from 'node:stream';
import type { Feed } from './feed.ts';
import type { ChatLimits } from './limits.ts';
import type { ChatEvent } from './shapes.ts';

/**
 * The event stream of one client, in the format of server-sent events (HTML standard, 9.2). Events are taken
 * from the log only as the client takes them, so a slow one costs a bounded buffer and never memory; one that
 * takes nothing any more is dropped, and resumes after the last id it saw.
 */

const PAGE = 50;
/** How long a client should wait before it connects again, in milliseconds. */
const RETRY_MILLISECONDS = 1_000;
/** Heartbeats in a row that a client may take nothing. */
const IDLE_BEATS = 2;

export interface EventStreamOptions {
  readonly feed: Feed;
  /** Events after this one are sent. */
  readonly cursor: number;
  readonly limits: Pick<ChatLimits, 'streamBufferBytes'>;
  /** Ends the stream when it aborts. */
  readonly closing: AbortSignal;
}

export function openEventStream({ feed, cursor: start, limits, closing }: EventStreamOptions): Readable {
  let cursor = start;
  let fetched: readonly ChatEvent[] = [];
  let wanted = true;
  let pumping = false;
  let again = false;
  let ended = false;
  let idleBeats = 0;
  let waitingAtBeat = 0;

  const stream = new Readable({
    highWaterMark: limits.streamBufferBytes,
    read() {
      wanted = true;
      void pump();
    },
    destroy(error, done) {
      for (const stop of stops) stop();
      closing.removeEventListener('abort', end);
      done(error);
    },
  });

  const stops = [
    feed.onGrowth(() => void pump()),
    feed.onTyping((typing) => {
      if (wanted) send(`event: typing\ndata: ${JSON.stringify(typing)}\n\n`);
    }),
    feed.onBeat(() => {
      if (wanted) {
        idleBeats = 0;
        waitingAtBeat = 0;
        send(': beat\n\n');
        return;
      }
      idleBeats = stream.readableLength < waitingAtBeat ? 0 : idleBeats + 1;
      waitingAtBeat = stream.readableLength;
      if (idleBeats >= IDLE_BEATS) stream.destroy(new Error('the client of the event stream takes nothing'));
    }),
  ];

  function send(text: string): void {
    if (!ended && !stream.destroyed) wanted = stream.push(text);
  }

  function end(): void {
    if (ended || stream.destroyed) return;
    if (!wanted) {
      stream.destroy();
      return;
    }
    ended = true;
    stream.push(null);
  }

  async function pump(): Promise<void> {
    again = true;
    if (pumping) return;
    pumping = true;
    try {
      while (again && wanted && !ended && !stream.destroyed) {
        again = false;
        if (fetched.length === 0) fetched = await feed.page(cursor, PAGE);
        if (fetched.length > 0) again = true;
        while (wanted && fetched.length > 0 && !ended && !stream.destroyed) {
          const [event, ...rest] = fetched;
          fetched = rest;
          if (event === undefined) break;
          cursor = event.cursor;
          send(`id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`);
        }
      }
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    } finally {
      pumping = false;
    }
  }

  // The id makes a client that lost its line before the first event resume from here.
  send(`retry: ${RETRY_MILLISECONDS}\nid: ${start}\n\n`);
  if (closing.aborted) end();
  else closing.addEventListener('abort', end, { once: true });
  return stream;
}
