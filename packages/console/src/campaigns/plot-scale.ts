/** Arithmetic of the plots, apart from how they are drawn. */

/** A round number at or above the largest value, and the steps to it: 7 → 8 by 2, 930 → 1,000 by 250. */
export function niceScale(
  largest: number,
  steps = 4,
): { readonly top: number; readonly ticks: readonly number[] } {
  const raw = Math.max(1, largest) / steps;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((one) => one * magnitude).find((one) => one >= raw) ?? raw);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  const top = whole * Math.max(1, Math.ceil(largest / whole));
  return { top, ticks: Array.from({ length: top / whole + 1 }, (_, index) => index * whole) };
}

export interface Step {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Puts the empty steps back that the server left out, up to a bound; a line over a gap would tell of something. */
export function withGaps<T extends Step>(
  points: readonly T[],
  stepMs: number,
  empty: (at: number) => T,
): T[] {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return [];
  const count = Math.round((last.at - first.at) / stepMs) + 1;
  if (count > MOST_STEPS) return [...points];
  const byStep = new Map(points.map((point) => [Math.round((point.at - first.at) / stepMs), point]));
  return Array.from({ length: count }, (_, index) => byStep.get(index) ?? empty(first.at + index * stepMs));
}

const MOST_STEPS = 2_000;

/** Each value with all before it. */
export function running(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}
