import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { LocalMessage } from '../api/local.ts';
import { markRead, readMark } from './unread.ts';

function subscribeToPresence(listener: () => void): () => void {
  window.addEventListener('focus', listener);
  window.addEventListener('blur', listener);
  document.addEventListener('visibilitychange', listener);
  return () => {
    window.removeEventListener('focus', listener);
    window.removeEventListener('blur', listener);
    document.removeEventListener('visibilitychange', listener);
  };
}

/** Somebody is looking at the page. */
export function usePresence(): boolean {
  return useSyncExternalStore(
    subscribeToPresence,
    () => document.visibilityState === 'visible' && document.hasFocus(),
  );
}

export interface ReadLine {
  /** Time of the last message above the “new” line; null shows none. */
  readonly readUpTo: string | null;
  readonly clear: () => void;
}

/**
 * Marks a channel read while someone is at its end, and says where the line before the new messages stands.
 * The line stays while they read on; what comes before their eyes moves it along, so that it appears only
 * for what came while they were away.
 */
export function useReadLine(
  channelId: string,
  me: string | null,
  messages: readonly LocalMessage[] | undefined,
  atEnd: boolean,
): ReadLine {
  const [line, setLine] = useState(() => readMark(me, channelId));
  const seen = useRef(false);
  const present = usePresence();
  const last = messages?.at(-1)?.created_at;

  useEffect(() => {
    if (me === null || last === undefined) return;
    // The first sight of a channel is where its reading begins.
    if (line === null) setLine(last);
    if (!present || !atEnd) return;
    const mark = readMark(me, channelId);
    const nothingWaits = mark === null || line === null || line >= mark;
    if (seen.current && nothingWaits) setLine(last);
    seen.current = true;
    markRead(me, channelId, last);
  }, [channelId, me, last, present, atEnd, line]);

  const wasPresent = useRef(present);
  useEffect(() => {
    // Whoever comes back finds the line before what they have not seen, not before what they saw last time.
    if (wasPresent.current && !present) setLine(readMark(me, channelId));
    wasPresent.current = present;
  }, [present, me, channelId]);

  return {
    readUpTo: me === null ? null : line,
    clear: () => last !== undefined && setLine(last),
  };
}
