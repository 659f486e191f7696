/** Slack's message ids: seconds since the epoch with six decimals, as text; unique within a channel. */

const SHAPE = /^\d{1,12}\.\d{1,6}$/;

export function isTs(text: string): boolean {
  return SHAPE.test(text);
}

/** Negative when `left` is the older. Compared as numbers of microseconds, which a double holds exactly. */
export function compareTs(left: string, right: string): number {
  return microseconds(left) - microseconds(right);
}

export function tsMs(ts: string): number {
  return Math.floor(microseconds(ts) / 1_000);
}

/** So many seconds earlier, but not before the epoch. */
export function tsBefore(ts: string, seconds: number): string {
  const all = Math.max(0, microseconds(ts) - seconds * 1_000_000);
  return `${Math.floor(all / 1_000_000)}.${String(all % 1_000_000).padStart(6, '0')}`;
}

/** The last one that a post of that millisecond can have. */
export function tsOfMs(milliseconds: number): string {
  return `${Math.floor(milliseconds / 1_000)}.${String(milliseconds % 1_000).padStart(3, '0')}999`;
}

export const FIRST_TS = '0.000000';

function microseconds(ts: string): number {
  const [seconds = '0', fraction = ''] = ts.split('.');
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}
