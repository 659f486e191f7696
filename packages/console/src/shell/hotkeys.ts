import { useEffect, useRef } from 'react';

/** Keys by name: `?`, `mod+k` (⌘ on a Mac, Ctrl elsewhere), `alt+arrowdown`. */
export type Hotkeys = Readonly<Record<string, () => void>>;

export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);

function nameOf(event: KeyboardEvent): string {
  const parts = [];
  if (isMac ? event.metaKey : event.ctrlKey) parts.push('mod');
  if (event.altKey) parts.push('alt');
  parts.push(event.key.toLowerCase());
  return parts.join('+');
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=radio], [type=checkbox]), textarea, select')
  );
}

/** Page-wide shortcuts. Plain keys rest while someone types, and all of them while a dialog is open. */
export function useHotkeys(hotkeys: Hotkeys): void {
  const current = useRef(hotkeys);
  useEffect(() => {
    current.current = hotkeys;
  });
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.isComposing) return;
      const name = nameOf(event);
      const action = current.current[name];
      if (action === undefined || document.querySelector('dialog[open]') !== null) return;
      if (isTyping(event.target) && !name.includes('+')) return;
      event.preventDefault();
      action();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
