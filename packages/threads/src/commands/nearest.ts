/** So many letters of a word may be wrong, for each of its length. */
const LETTERS_PER_MISTAKE = 3;

/** The name that is most like a word, or null when none is near: at most one mistake in three letters. */
export function nearestOf(word: string, names: readonly string[]): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = distanceOf(word, name);
    if (distance <= Math.floor(Math.min(word.length, name.length) / LETTERS_PER_MISTAKE)) {
      if (best === null || distance < best.distance) best = { name, distance };
    }
  }
  return best?.name ?? null;
}

/** Letters put in, left out, exchanged, or swapped with their neighbour, at the least. */
function distanceOf(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
