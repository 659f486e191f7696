import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanLines } from './fences.ts';

const kinds = (...lines: string[]) => scanLines(lines.join('\n')).map(({ kind }) => kind);

describe('scanLines', () => {
  test.each([
    ['backticks', ['```js', 'a', '```', 'b'], ['open', 'code', 'close', 'text']],
    ['tildes', ['~~~', 'a', '~~~'], ['open', 'code', 'close']],
    [
      'a longer fence around a shorter',
      ['````', '```', 'a', '```', '````'],
      ['open', 'code', 'code', 'code', 'close'],
    ],
    ['a longer closing fence', ['```', 'a', '`````', 'b'], ['open', 'code', 'close', 'text']],
    ['the other marker inside', ['```', '~~~', '```'], ['open', 'code', 'close']],
    ['no info string on a closing fence', ['```', '```js', '```'], ['open', 'code', 'close']],
    ['white space behind a closing fence', ['```', '```  \t', 'b'], ['open', 'close', 'text']],
    ['carriage returns', ['```js\r', 'a\r', '```\r', 'b'], ['open', 'code', 'close', 'text']],
    ['no backtick in an info string', ['``` a`b', 'c'], ['text', 'text']],
    ['backticks in the info string of tildes', ['~~~ a`b', 'c'], ['open', 'code']],
    ['two markers are too few', ['``', 'a'], ['text', 'text']],
    [
      'fences in list items',
      ['1. a', '     ```sh', '     b', '     ```', 'c'],
      ['text', 'open', 'code', 'close', 'text'],
    ],
    ['no closing fence much further in', ['```', '    ```', '   ```'], ['open', 'code', 'close']],
    ['an unclosed block', ['```', 'a', '', 'b'], ['open', 'code', 'code', 'code']],
    ['no fence within a line', ['a ```', 'b'], ['text', 'text']],
  ])('knows %s', (_what, lines, wanted) => {
    expect(kinds(...lines)).toEqual(wanted);
  });

  test('gives the opening line and where markers end', () => {
    const [open, code] = scanLines('  ```js title=x  \ncode');
    expect(open).toMatchObject({
      markerEnd: 5,
      fence: { marker: '```', indent: '  ', opening: '  ```js title=x' },
    });
    expect(code?.fence).toBe(open?.fence);
  });

  test('covers the text without gaps', () => {
    const token = fc.constantFrom('`', '```', '~~~', '\n', ' ', 'a', '\r', '    ');
    fc.assert(
      fc.property(
        fc.array(token).map((parts) => parts.join('')),
        (text) => {
          let end = 0;
          for (const line of scanLines(text)) {
            expect(line.start).toBe(end);
            expect(line.end).toBeGreaterThan(end);
            end = line.end;
          }
          expect(end).toBe(text.length);
        },
      ),
    );
  });
});
