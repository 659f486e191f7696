import { useSyncExternalStore } from 'react';
import { clockTime, fullTime, listTime, relativeTime } from '../lib/time.ts';

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
  readonly as: 'clock' | 'list' | 'relative';
}

export function Time({ at, as }: TimeProps) {
  const current = useNow();
  const shown =
    as === 'clock' ? clockTime(at) : as === 'list' ? listTime(at, current) : relativeTime(at, current);
  return (
    <time dateTime={at} title={fullTime(at)}>
      {shown}
    </time>
  );
}
