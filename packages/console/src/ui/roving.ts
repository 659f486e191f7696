import type { KeyboardEvent } from 'react';

/** Items of a list that the arrow keys walk through carry this attribute. */
const ITEM = '[data-roving]';

/**
 * Put on a list's container: arrows, Home and End move the focus among its items.
 *
 * @param item a selector, for a container whose every control is an item.
 */
export function moveByArrows(
  event: KeyboardEvent<HTMLElement>,
  direction: 'vertical' | 'horizontal' = 'vertical',
  item = ITEM,
): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  if (target.matches('input, textarea, select')) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(item)];
  const current = target.closest<HTMLElement>(item);
  const index = current === null ? -1 : items.indexOf(current);
  const back = direction === 'vertical' ? 'ArrowUp' : 'ArrowLeft';
  const forth = direction === 'vertical' ? 'ArrowDown' : 'ArrowRight';
  const steps: Record<string, number> = {
    [back]: index - 1,
    [forth]: index + 1,
    Home: 0,
    End: items.length - 1,
  };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items[Math.max(0, Math.min(next, items.length - 1))]?.focus();
}
