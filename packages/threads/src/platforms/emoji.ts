/** Names of emoji, which the platforms agree on by and large: one canonical name for each that means something here. */

/** Slack's and local `+1::skin-tone-3`, Mattermost's `+1_medium_light_skin_tone`, and the short `+1_tone3`. */
const SKIN_TONE = /::skin-tone-[1-6]$|_(?:(?:medium_)?light|medium|(?:medium_)?dark)_skin_tone$|_tone[1-6]$/;

/** Other names of the same emoji, or of one that people take for the same. */
const ALIASES: Readonly<Record<string, string>> = {
  thumbsup: '+1',
  thumbs_up: '+1',
  thumbsdown: '-1',
  thumbs_down: '-1',
  heavy_check_mark: 'white_check_mark',
  check_mark_button: 'white_check_mark',
  cross_mark: 'x',
  heavy_multiplication_x: 'x',
  negative_squared_cross_mark: 'x',
  stop_sign: 'octagonal_sign',
  stop: 'octagonal_sign',
  pause_button: 'double_vertical_bar',
  pause: 'double_vertical_bar',
  counterclockwise_arrows_button: 'arrows_counterclockwise',
  repeat: 'arrows_counterclockwise',
  arrow_forward: 'arrows_counterclockwise',
  small_red_triangle_down: 'arrow_down_small',
  ten: 'keycap_ten',
  keycap_10: 'keycap_ten',
};

/**
 * The canonical name: lower case, without colons, skin tone and synonyms. A name it does not know is its own.
 * For comparing; a reaction is taken back by the name it came with.
 */
export function canonicalEmoji(name: string): string {
  const bare = name
    .toLowerCase()
    .replace(/^:(.+):$/, '$1')
    .replace(SKIN_TONE, '');
  return Object.hasOwn(ALIASES, bare) ? (ALIASES[bare] ?? bare) : bare;
}

/** In the order of the options they stand for. All are older than any platform's picture set. */
const OPTIONS: readonly string[] = [
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'keycap_ten'],
  ...['apple', 'tangerine', 'banana', 'watermelon', 'grapes', 'strawberry', 'melon', 'cherries', 'peach'],
  ...['pineapple', 'tomato', 'eggplant', 'corn', 'mushroom', 'chestnut', 'cactus', 'tulip', 'sunflower'],
  ...['four_leaf_clover', 'maple_leaf', 'dog', 'cat', 'mouse', 'hamster', 'rabbit', 'bear', 'panda_face'],
  ...['koala', 'tiger', 'cow', 'pig', 'frog', 'monkey_face', 'chicken', 'penguin', 'bird', 'snake', 'turtle'],
  ...['bug', 'fish'],
];

/** So many options have an emoji: the reactions that one post may carry everywhere. The rest is answered by typing. */
export const MOST_OPTION_EMOJI = OPTIONS.length;

/** The emoji of options 1 to `count`, canonical and each another one; at most {@link MOST_OPTION_EMOJI}. */
export function optionEmoji(count: number): string[] {
  return OPTIONS.slice(0, Math.max(0, count));
}
