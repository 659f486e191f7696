import { Tokenizer, type TopLevelToken, TypeGuards } from 'liquidjs';
import { writtenLiquid } from './liquid.ts';

/** Liquid in a text that something else is to read, which would stumble over its quotes and brackets. */

/** An output or a tag, with where it stands. */
export interface LiquidPiece {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
  /** Name of a tag; null for an output. */
  readonly tag: string | null;
}

/** From the private use area: no letter, digit, quote or space to any parser. */
const FILLER = '\uE0F0';

/** All outputs and tags of a text that Liquid has parsed before, in order. */
export function liquidPieces(source: string): LiquidPiece[] {
  return new Tokenizer(source)
    .readTopLevelTokens(writtenLiquid.options)
    .filter((token) => !TypeGuards.isHTMLToken(token))
    .map((token: TopLevelToken) => ({
      begin: token.begin,
      end: token.end,
      text: source.slice(token.begin, token.end),
      tag: TypeGuards.isTagToken(token) ? token.name : null,
    }));
}

/** The text with Liquid blotted out, every other character where it was. */
export function mask(source: string, pieces: readonly LiquidPiece[]): string {
  return replacePieces(source, pieces, ({ begin, end }) => FILLER.repeat(end - begin));
}

/** Whether there was Liquid in a stretch of a masked text. */
export function isMasked(stretch: string): boolean {
  return stretch.includes(FILLER);
}

/** The text with each piece of Liquid replaced. */
export function replacePieces(
  source: string,
  pieces: readonly LiquidPiece[],
  replacement: (piece: LiquidPiece, index: number) => string,
): string {
  let text = '';
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    text += source.slice(at, piece.begin) + replacement(piece, index);
    at = piece.end;
  }
  return text + source.slice(at);
}
