import { useSyncExternalStore } from 'react';
import { clockTime, fullTime, gutterTime, listTime, relativeTime } from '../lib/time.ts';

/** One clock for the page, so that “3 minutes ago” stays true without a timer in every line. */
const TICK_MILLISECONDS = 30_000;
const listeners = new Set<() => void>();
let now = new Date();
let timer: number | undefined;

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = new Date();
    timer = window.setInterval(() => {
      now = new Date();
      for (const tell of listeners) tell();
    }, TICK_MILLISECONDS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}

interface TimeProps {
  readonly at: string;
  readonly as: 'clock' | 'gutter' | 'list' | 'relative';
}

export function Time({ at, as }: TimeProps) {
  useNow();
  return (
    <time dateTime={at} title={fullTime(at)}>
      {shownAs[as](at, new Date())}
    </time>
  );
}

/** Given the moment itself: the last tick may lie before what has just happened, which would be yet to come. */
const shownAs: Readonly<Record<TimeProps['as'], (at: string, now: Date) => string>> = {
  clock: clockTime,
  gutter: gutterTime,
  list: listTime,
  relative: relativeTime,
};
