const TALLEST_PIXELS = 260;

/** Lets a text box grow with its text, up to a bound after which it scrolls. */
export function fitHeight(area: HTMLTextAreaElement): void {
  // Measuring takes the height away for a moment; what stands around the box must not move meanwhile.
  const holder = area.parentElement;
  if (holder !== null) holder.style.minHeight = `${holder.offsetHeight}px`;
  area.style.height = 'auto';
  const border = area.offsetHeight - area.clientHeight;
  const wanted = area.scrollHeight + border;
  area.style.height = `${Math.min(wanted, TALLEST_PIXELS)}px`;
  area.style.overflowY = wanted > TALLEST_PIXELS ? 'auto' : 'hidden';
  if (holder !== null) holder.style.minHeight = '';
}
