import { expect, test } from 'vitest';
import { canonicalEmoji, MOST_OPTION_EMOJI, optionEmoji } from './emoji.ts';

test.each([
  '+1',
  'thumbsup',
  ':+1:',
  '+1::skin-tone-2',
  '+1::skin-tone-6',
  'thumbsup::skin-tone-3',
  '+1_light_skin_tone',
  '+1_medium_light_skin_tone',
  '+1_medium_skin_tone',
  '+1_medium_dark_skin_tone',
  'thumbsup_dark_skin_tone',
  'thumbsup_tone4',
  'ThumbsUp',
])('%s is a thumb up', (name) => {
  expect(canonicalEmoji(name)).toBe('+1');
});

test.each([
  ['thumbsdown_dark_skin_tone', '-1'],
  ['heavy_check_mark', 'white_check_mark'],
  ['pause_button', 'double_vertical_bar'],
  ['stop_sign', 'octagonal_sign'],
  ['cross_mark', 'x'],
])('%s means %s', (name, canonical) => {
  expect(canonicalEmoji(name)).toBe(canonical);
});

test.each(['eyes', 'constructor', '', 'skin-tone-2', 'dark_skin_tone', 'our_own-emoji', 'milestone1'])(
  'a name nobody has a synonym for stays: "%s"',
  (name) => {
    expect(canonicalEmoji(name)).toBe(name);
  },
);

test('each option has an emoji of its own, which no tone or synonym makes another', () => {
  const all = optionEmoji(MOST_OPTION_EMOJI);
  expect(new Set(all.map(canonicalEmoji)).size).toBe(50);
  expect(all.map(canonicalEmoji)).toEqual(all);
  expect(all.slice(8, 11)).toEqual(['nine', 'keycap_ten', 'apple']);
});

test('there are as many as options, until posts can carry no more', () => {
  expect(optionEmoji(2)).toEqual(['one', 'two']);
  expect(optionEmoji(0)).toEqual([]);
  expect(optionEmoji(1_000)).toHaveLength(MOST_OPTION_EMOJI);
});
