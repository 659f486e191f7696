/** The p-th percentile by nearest rank; `p` from 0 to 100. @throws RangeError when there is no sample. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  const found = sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)];
  if (found === undefined) throw new RangeError('no samples');
  return found;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new RangeError('no values');
  return (low + high) / 2;
}

/** A number as short as it can be read: 0.123, 1.23, 12.3, 123, 12,345. */
export function short(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

/** A ratio, such as 1.23×. */
export function times(value: number): string {
  return `${value.toFixed(2)}×`;
}

/** Milliseconds that something took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The same things in an order of chance. */
export function shuffled<Thing>(things: readonly Thing[]): Thing[] {
  return things
    .map((thing) => ({ thing, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ thing }) => thing);
}
