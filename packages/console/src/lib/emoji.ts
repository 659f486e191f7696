import { emojiGroups } from './emoji-data.ts';
import { storedValue } from './storage.ts';

/** Emoji travel by name (`+1`, `+1::skin-tone-3`) and are shown as glyphs. */

export interface Emoji {
  readonly glyph: string;
  readonly name: string;
  /** Other names and search words. */
  readonly words: readonly string[];
  readonly takesTone: boolean;
}

/** Tones as the names number them; 1 is the plain yellow one. */
export type SkinTone = 1 | 2 | 3 | 4 | 5 | 6;

export const skinTones: readonly SkinTone[] = [1, 2, 3, 4, 5, 6];

const FIRST_TONE_MODIFIER = 0x1f3fb;
const TONE_SUFFIX = /::skin-tone-([2-6])$/;

function parseLine(line: string): Emoji {
  const [head = '', name = '', ...words] = line.split(' ');
  const takesTone = head.endsWith('*');
  return { glyph: takesTone ? head.slice(0, -1) : head, name, words, takesTone };
}

export interface ParsedGroup {
  readonly label: string;
  readonly emoji: readonly Emoji[];
}

export const pickerGroups: readonly ParsedGroup[] = emojiGroups.map(({ label, lines }) => ({
  label,
  emoji: lines.trim().split('\n').map(parseLine),
}));

const allEmoji = pickerGroups.flatMap((group) => group.emoji);

/** First names win; a further name counts where no emoji has it as its own. */
const byName = new Map<string, Emoji>();
for (const emoji of allEmoji) byName.set(emoji.name, emoji);
for (const emoji of allEmoji) {
  for (const word of emoji.words) if (!byName.has(word)) byName.set(word, emoji);
}

/** The name without its tone: skin tones are the same emoji. */
export function baseName(name: string): string {
  return name.replace(TONE_SUFFIX, '');
}

function toneOf(name: string): SkinTone {
  const match = TONE_SUFFIX.exec(name);
  return match === null ? 1 : (Number(match[1]) as SkinTone);
}

/** The glyph of a name, or `:name:` for one that isn't known here (a platform's own emoji). */
export function glyphOf(name: string): string {
  const emoji = byName.get(baseName(name));
  if (emoji === undefined) return `:${name}:`;
  return withTone(emoji, toneOf(name));
}

export function withTone(emoji: Emoji, tone: SkinTone): string {
  if (tone === 1 || !emoji.takesTone) return emoji.glyph;
  // The modifier takes the place of the selector that asks for a coloured glyph.
  return emoji.glyph.replace(/\uFE0F$/, '') + String.fromCodePoint(FIRST_TONE_MODIFIER + tone - 2);
}

export function nameWithTone(emoji: Emoji, tone: SkinTone): string {
  return tone === 1 || !emoji.takesTone ? emoji.name : `${emoji.name}::skin-tone-${tone}`;
}

/** A name for reading aloud: `white check mark`, `thumbs up` stays what the platforms call it. */
export function spokenName(name: string): string {
  const base = baseName(name);
  if (base === '+1') return 'thumbs up';
  if (base === '-1') return 'thumbs down';
  return base.replaceAll('_', ' ');
}

/** Best matches first: names that begin with the words, then names and words that contain them. */
export function searchEmoji(query: string): readonly Emoji[] {
  const wanted = query.trim().toLowerCase().replace(/^:|:$/g, '').replaceAll(' ', '_');
  if (wanted === '') return [];
  const starts = allEmoji.filter((emoji) => emoji.name.startsWith(wanted));
  const others = allEmoji.filter(
    (emoji) => !starts.includes(emoji) && [emoji.name, ...emoji.words].some((word) => word.includes(wanted)),
  );
  return [...starts, ...others];
}

export function emojiNamed(name: string): Emoji | undefined {
  return byName.get(baseName(name));
}

/** What the row of quick reactions offers, and the answers an agent waits for. */
export const quickNames: readonly string[] = ['+1', 'white_check_mark', '-1', 'eyes', 'heart', 'tada'];

export const chosenTone = storedValue<SkinTone>(
  'skin-tone',
  (found) => skinTones.find((tone) => tone === found) ?? 1,
);

const MAX_RECENT = 16;

export const recentNames = storedValue<readonly string[]>('recent-emoji', (found) =>
  Array.isArray(found) ? found.filter((name) => typeof name === 'string').slice(0, MAX_RECENT) : [],
);

export function rememberEmoji(name: string): void {
  const base = baseName(name);
  recentNames.write([base, ...recentNames.read().filter((other) => other !== base)].slice(0, MAX_RECENT));
}
