/**
 * Text with holes: what is the same in every copy of a message is written out, what differs is named. Only the
 * holes' values are known later, one set for each recipient.
 */

export interface Hole {
  readonly hole: string;
}

/** A text, or its pieces in order. */
export type Template = string | readonly (string | Hole)[];

/** The values for all holes of a message, by name. */
export type HoleValues = Readonly<Record<string, string>>;

/** A hole for which a rendering brought no value. */
export class MissingValueError extends Error {
  override readonly name = 'MissingValueError';
  readonly hole: string;

  constructor(hole: string) {
    super(`No value was given for ${hole}`);
    this.hole = hole;
  }
}

export function hole(name: string): Hole {
  return { hole: name };
}

/** The pieces, with neighbouring texts joined, empty ones left out, and every text well-formed. */
export function pieces(template: Template): readonly (string | Hole)[] {
  const joined: (string | Hole)[] = [];
  for (const piece of typeof template === 'string' ? [template] : template) {
    const last = joined.at(-1);
    if (typeof piece !== 'string') joined.push(piece);
    else if (typeof last === 'string') joined[joined.length - 1] = last + piece.toWellFormed();
    else if (piece !== '') joined.push(piece.toWellFormed());
  }
  return joined;
}

/** The names of the holes, each once. */
export function holesOf(template: Template): string[] {
  if (typeof template === 'string') return [];
  return [...new Set(template.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.hole])))];
}

/** The whole text. @throws MissingValueError */
export function fill(template: Template, values: HoleValues): string {
  if (typeof template === 'string') return template;
  let text = '';
  for (const piece of template) text += typeof piece === 'string' ? piece : valueFor(piece, values);
  return text;
}

/** @throws MissingValueError */
export function valueFor({ hole }: Hole, values: HoleValues): string {
  const value = Object.hasOwn(values, hole) ? values[hole] : undefined;
  if (value === undefined) throw new MissingValueError(hole);
  return value;
}
