const TALLEST_PIXELS = 260;

/** Lets a text box grow with its text, up to a bound after which it scrolls. */
export function fitHeight(area: HTMLTextAreaElement): void {
  area.style.height = 'auto';
  const border = area.offsetHeight - area.clientHeight;
  area.style.height = `${Math.min(area.scrollHeight + border, TALLEST_PIXELS)}px`;
  area.style.overflowY = area.scrollHeight > TALLEST_PIXELS ? 'auto' : 'hidden';
}
