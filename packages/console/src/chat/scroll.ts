import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Near enough to the end to count as there. */
const END_TOLERANCE_PIXELS = 48;
/** Older messages are fetched before the reader meets the edge. */
const EDGE_PIXELS = 240;

export interface ScrollKeeper {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLOListElement | null>;
  readonly atEnd: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
  /** Brings a row into sight; false when it isn't there. */
  readonly toRow: (key: string, where?: 'middle' | 'top') => boolean;
}

interface Options {
  /** Anything that changes with what is shown. */
  readonly shown: unknown;
  readonly onNearStart: (() => void) | null;
  readonly onNearEnd: (() => void) | null;
}

/**
 * Keeps what the reader looks at where it is: at the end, new messages push up; anywhere else, nothing that
 * is added above, grows or loads moves the line being read. The browser's own anchoring is off in the style
 * sheet, since it does not work at the very top, exactly where older messages are put in.
 */
export function useScrollKeeper({ shown, onNearStart, onNearEnd }: Options): ScrollKeeper {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLOListElement>(null);
  /** The first message in sight. Not the line of its day, which moves when older messages of the day come. */
  const anchor = useRef<{ key: string; top: number } | null>(null);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const [atEnd, setAtEnd] = useState(true);

  const remember = useCallback(() => {
    const box = scroller.current;
    const list = content.current;
    if (box === null || list === null) return;
    const edge = box.getBoundingClientRect().top;
    const first = [...list.querySelectorAll('article')].find(
      (article) => article.getBoundingClientRect().bottom > edge,
    );
    const key = first?.closest<HTMLElement>('[data-key]')?.dataset.key;
    anchor.current =
      first === undefined || key === undefined
        ? null
        : { key, top: first.getBoundingClientRect().top - edge };
  }, []);

  const restore = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    if (sticks.current) {
      box.scrollTop = box.scrollHeight;
      return;
    }
    const article = anchor.current && findRow(content.current, anchor.current.key)?.querySelector('article');
    if (article == null || anchor.current === null) return;
    const moved = article.getBoundingClientRect().top - box.getBoundingClientRect().top - anchor.current.top;
    if (Math.abs(moved) >= 1) box.scrollTop += moved;
  }, []);

  const onScroll = useCallback(() => {
    const box = scroller.current;
    if (box === null) return;
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    // Only going up leaves the end: a box that just grew or shrank is also away from it, until it is restored.
    if (below < END_TOLERANCE_PIXELS) sticks.current = true;
    else if (box.scrollTop < lastTop.current) sticks.current = false;
    lastTop.current = box.scrollTop;
    setAtEnd(sticks.current);
    remember();
    if (box.scrollTop < EDGE_PIXELS) onNearStart?.();
    if (below < EDGE_PIXELS) onNearEnd?.();
  }, [remember, onNearStart, onNearEnd]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when what is shown changes
  useLayoutEffect(restore, [shown, restore]);

  useEffect(() => {
    const observer = new ResizeObserver(restore);
    if (scroller.current !== null) observer.observe(scroller.current);
    if (content.current !== null) observer.observe(content.current);
    return () => observer.disconnect();
  }, [restore]);

  const toEnd = useCallback(() => {
    sticks.current = true;
    setAtEnd(true);
    restore();
  }, [restore]);

  const toRow = useCallback(
    (key: string, where: 'middle' | 'top' = 'middle') => {
      const box = scroller.current;
      const row = findRow(content.current, key);
      if (row === null || box === null) return false;
      sticks.current = false;
      // By hand, since `scrollIntoView` would also make the row the place where Tab goes on.
      const room = where === 'top' ? 0 : Math.max(0, (box.clientHeight - row.offsetHeight) / 2);
      box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - room;
      onScroll();
      return true;
    },
    [onScroll],
  );

  return { scroller, content, atEnd, onScroll, toEnd, toRow };
}

function findRow(list: HTMLElement | null, key: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;
}
