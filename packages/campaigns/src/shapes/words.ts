/** Words for the sentences in `effect` and `detail`. */

/** `1 subscriber`, `12,345 subscribers`. */
export function counted(total: number, noun: string, plural = `${noun}s`): string {
  return `${numeral(total)} ${total === 1 ? noun : plural}`;
}

/** `12,345`. */
export function numeral(total: number): string {
  return total.toLocaleString('en-US');
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** A name somebody chose, set apart from the sentence around it. */
export function quoted(name: string): string {
  return `"${name}"`;
}
