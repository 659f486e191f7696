import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';

interface PopoverProps {
  /** What it belongs to; it opens beside it and gives the focus back to it. */
  readonly anchor: HTMLElement;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const GAP = 6;
const EDGE = 8;

/** A small panel beside a button (a sheet at the bottom on phones, by the style sheet). */
export function Popover({ anchor, label, onClose, children }: PopoverProps) {
  const panel = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) return;
    const near = anchor.getBoundingClientRect();
    const size = element.getBoundingClientRect();
    const above = near.top - size.height - GAP;
    const below = near.bottom + GAP;
    const top = above >= EDGE ? above : Math.min(below, window.innerHeight - size.height - EDGE);
    const left = Math.min(near.right - size.width, window.innerWidth - size.width - EDGE);
    element.style.setProperty('--popover-top', `${Math.max(EDGE, top)}px`);
    element.style.setProperty('--popover-left', `${Math.max(EDGE, left)}px`);
  }, [anchor]);

  useEffect(() => {
    function onPointerDown(event: PointerEvent): void {
      const target = event.target as Node;
      if (!panel.current?.contains(target) && !anchor.contains(target)) onClose();
    }
    document.addEventListener('pointerdown', onPointerDown);
    return () => document.removeEventListener('pointerdown', onPointerDown);
  }, [anchor, onClose]);

  useEffect(
    () => () => {
      if (anchor.isConnected) anchor.focus();
    },
    [anchor],
  );

  // A modal dialog makes the rest of the page inert, so a panel opened from one must live inside it.
  const host = anchor.closest('dialog') ?? document.body;
  return createPortal(
    <div
      ref={panel}
      className="popover"
      role="dialog"
      aria-label={label}
      onKeyDown={(event) => {
        // Typing in here must not reach the shortcuts of the list it was opened from.
        event.stopPropagation();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </div>,
    host,
  );
}
