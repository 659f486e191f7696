/** What is stored beside the positions of channels. */
export interface Cursor {
  /** Up to here everything was read in all channels there were. */
  readonly seen: bigint;
  /** Where the first start began. */
  readonly floor: bigint;
}

export function formatCursor({ seen, floor }: Cursor): string {
  return `${seen}:${floor}`;
}

/** @returns null for what is no cursor of this connector. */
export function parseCursor(text: string): Cursor | null {
  const [, seen, floor = seen] = /^(\d{1,20})(?::(\d{1,20}))?$/.exec(text) ?? [];
  return seen === undefined || floor === undefined ? null : { seen: BigInt(seen), floor: BigInt(floor) };
}
