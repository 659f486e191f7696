import { expect, test } from 'vitest';
import { addressingOf } from './addressing.ts';

const names: Record<string, string> = { '@postern': 'bot', '@alice': 'u-alice', '@post': 'u-post' };
const read = (text: string) =>
  addressingOf(
    {
      text,
      mentions: [...text.matchAll(/@\w+/g)].map(([mention]) => ({
        text: mention,
        personId: names[mention] ?? null,
      })),
    },
    'bot',
  );

test.each([
  ['@postern fix it', 'bot', 'fix it'],
  ['@postern, fix it', 'bot', 'fix it'],
  ['@postern: !cd /srv', 'bot', '!cd /srv'],
  ['fix it @postern', 'bot', 'fix it'],
  ['@postern', 'bot', ''],
  ['ask @postern about it', 'bot', 'ask @postern about it'],
  ['@alice @postern please', 'bot', '@alice @postern please'],
  ['@postern @postern hello', 'bot', 'hello'],
  ['@alice what do you think?', 'other', '@alice what do you think?'],
  ['@nobody what do you think?', 'other', '@nobody what do you think?'],
  ['what does @alice think?', 'nobody', 'what does @alice think?'],
  ['@post hello', 'other', '@post hello'],
  ['@postern\n!cd /srv\nfix it', 'bot', '!cd /srv\nfix it'],
  ['hello', 'nobody', 'hello'],
  // The indentation of a first line says that it is code.
  ['\n \n    !stop\n', 'nobody', '    !stop'],
  ['\t!stop @postern', 'bot', '\t!stop'],
  ['  @postern   fix it', 'bot', 'fix it'],
  [' \n ', 'nobody', ''],
])('%j is for %s', (text, addressed, rest) => {
  expect(read(text)).toEqual({ addressed, text: rest });
});
