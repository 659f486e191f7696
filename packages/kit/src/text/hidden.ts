/** Characters that are not seen and change what is: how a text reads, where it seems to end, in which order it stands. */

/**
 * Controls, bidi overrides and isolates, zero-width and other invisible characters, lone surrogates. The two that
 * make up emoji (U+200D, U+FE0F) are looked at separately.
 */
const UNSEEN = /(?![\u200d\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const STRAY_SELECTOR = /(?<!\p{Emoji})\ufe0f/gu;
const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

/** The text without them, line breaks and tabs among them. Emoji sequences stay whole. */
export function removeHidden(text: string): string {
  return text.replace(UNSEEN, '').replace(STRAY_SELECTOR, '').replace(STRAY_JOINER, '');
}
