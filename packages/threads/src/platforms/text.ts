import { measureText, neutraliseMassMentions, splitText, type TextUnit } from '@postern/kit';

export interface MessageLimit {
  readonly limit: number;
  readonly unit: TextUnit;
}

/** Pieces are not made smaller than this, so that no rendering can send the search for a size on for ever. */
const SMALLEST_PIECE = 16;

/**
 * Markdown in pieces that are each within the limit once they are rendered, mass mentions neutralised and code
 * fences closed and reopened. Blank pieces, which no platform takes, are left out; all that can be seen is there.
 *
 * @param render What a platform makes of a piece before it counts, after mass mentions are neutralised.
 * @param neutralise Takes the force from mentions of everyone; the text itself where the rendering does that, and
 *   can leave code alone.
 */
export function splitMarkdown(
  markdown: string,
  message: MessageLimit,
  render: (markdown: string) => string = (text) => text,
  neutralise: (markdown: string) => string = neutraliseMassMentions,
): string[] {
  // A cut may bring a mention to the start of a piece, where it counts, so each piece is looked at as it goes out.
  const fits = (piece: string) => measureText(render(neutralise(piece)), message.unit) <= message.limit;
  const split = (text: string, limit: number): string[] => {
    if (fits(text)) return [text];
    const pieces = splitText(text, { limit, unit: message.unit });
    if (limit <= SMALLEST_PIECE) return pieces;
    return pieces.flatMap((piece) => split(piece, Math.max(SMALLEST_PIECE, Math.floor(limit * 0.8))));
  };
  return split(neutralise(markdown), message.limit).filter((piece) => piece.trim() !== '');
}
