import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { neutraliseMassMentions } from './mentions.ts';

const visible = (text: string) => text.replaceAll('\u200b', '');
const rings =
  /@everyone|@here|(?<![\p{L}\p{N}_.+-])@(?:channel|all)(?![\p{L}\p{N}_])|<!(?:channel|everyone|here|group|subteam)/iu;

describe('neutraliseMassMentions', () => {
  test.each([
    '@everyone',
    '@here',
    '@channel',
    '@all',
    'hey @Everyone!',
    'hey @ALL, look',
    '(@channel)',
    '@all.',
    '@here@everyone@here',
    'x@everyone',
    '@everyones',
    '**@here**',
    '`@channel`',
    '<!channel>',
    '<!here>',
    '<!here|here>',
    '<!everyone>',
    '<!subteam^S012AB>',
    '<!subteam^S012AB|@admins>',
    '\n@all\n',
    '@@all',
    '<@everyone>',
  ])('silences %j, which looks as before', (text) => {
    const silent = neutraliseMassMentions(text);
    expect(silent).not.toMatch(rings);
    expect(silent).not.toBe(text);
    expect(visible(silent)).toBe(text);
  });

  test.each([
    'everyone here, all of the channel',
    'ann@all.example',
    'ann+x@channel.example',
    '@allison and @channels',
    '@all_hands',
    '<@U012AB>',
    '<#C012AB>',
    '<!date^1392734382^{date}|a day>',
    '@ everyone',
    '<! here>',
    '',
  ])('leaves %j alone', (text) => {
    expect(neutraliseMassMentions(text)).toBe(text);
  });

  test('silences everything, shows the same and does nothing the second time', () => {
    const token = fc.constantFrom(
      '@',
      '<',
      '!',
      'everyone',
      'here',
      'channel',
      'ALL',
      'subteam^S1',
      '>',
      ' ',
      'a',
      '.',
      '\u200b',
      '|',
      'é',
    );
    const texts = fc.oneof(
      fc.array(token, { maxLength: 20 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const silent = neutraliseMassMentions(text);
        expect(silent).not.toMatch(rings);
        expect(visible(silent)).toBe(visible(text));
        expect(neutraliseMassMentions(silent)).toBe(silent);
      }),
      { numRuns: 3_000 },
    );
  });
});
