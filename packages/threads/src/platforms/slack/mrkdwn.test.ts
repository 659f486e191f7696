import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toMrkdwn } from './mrkdwn.ts';

/** What a reader gets to see: entities undone, zero-width spaces gone. */
const seen = (mrkdwn: string) =>
  mrkdwn.replaceAll('\u200b', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const cases: Record<string, [markdown: string, mrkdwn: string]> = {
  'bold, italic and struck through': ['**a** *b* _c_ ~~d~~', '*a* _b_ _c_ ~d~'],
  'formatting within formatting': ['***both*** and **a *b* c**', '_*both*_ and *a _b_ c*'],
  'an asterisk within bold': ['**a*b**', '*a*b*'],
  'bold inside of a word': ['foo**bar**baz', 'foo\u200b*bar*\u200bbaz'],
  'bold over two lines': ['**one\ntwo** end', '*one*\n*two* end'],
  'a heading, its own bold included once': ['## All **done** now\ntext', '*All done now*\ntext'],
  'a link with its label': [
    '[the docs](https://a.example/x?y=1&z=2)',
    '<https://a.example/x?y=1&amp;z=2|the docs>',
  ],
  'a link with a parenthesis in it': ['[w](https://a.example/x_(y))', '<https://a.example/x_(y)|w>'],
  'a bold link': ['[**x**](https://a.example)', '*<https://a.example|x>*'],
  'a bare link': ['see https://a.example/b.', 'see <https://a.example/b>.'],
  'a link to a file': ['[main](src/main.ts)', 'main (src/main.ts)'],
  'a link that would run something': ['[x](javascript:alert)', 'x (javascript:alert)'],
  'a link by reference': ['[x][1]\n\n[1]: https://a.example', '<https://a.example|x>'],
  'a definition that nothing refers to': ['[1]: https://a.example', '[1]: https://a.example'],
  'an image': ['![a cat](https://a.example/c.png)', '<https://a.example/c.png|a cat>'],
  'an image without a description': ['![](https://a.example/c.png)', '<https://a.example/c.png|image>'],
  'what Slack reads as control characters': ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
  'HTML as it was written': ['a <b>c</b>', 'a &lt;b&gt;c&lt;/b&gt;'],
  'a line break in HTML': ['a<br>b', 'a\nb'],
  'code within a line': ['run `a && b <c>`', 'run `a &amp;&amp; b &lt;c&gt;`'],
  'code that holds a backtick': ['``a`b``', '```a`b```'],
  'a code block without its language': ['```sh\necho "$&" $1 $`\n```', '```\necho "$&amp;" $1 $`\n```'],
  'a fence with a text behind it': ['``` see what I mean', 'see what I mean\n```\n\n```'],
  'lists within lists': ['- a\n  - b\n- c', '• a\n    ◦ b\n• c'],
  'a numbered list that goes on': ['3. a\n4. b', '3. a\n4. b'],
  'a task list': ['- [x] a\n- [ ] b', '• ☑ a\n• ☐ b'],
  'a quotation': ['> a\n> b\n\nc', '> a\n> b\n\nc'],
  'paragraphs apart, lines together': ['a\nb\n\nc', 'a\nb\n\nc'],
  'a mark that stands for itself': [
    '\\*x\\* and \\_y\\_ and \\~z\\~',
    '*\u200bx* and _\u200by_ and ~\u200bz~',
  ],
  'marks for themselves around words in bold': ['**a** \\*b c\\*', '*a* *\u200bb c*'],
  'backticks that stand for themselves': ['\\`x\\`', '`\u200bx`'],
  'a mark alone': ['~/.config, *.ts and snake_case_name', '~/.config, *.ts and snake_case_name'],
  'a mention of a person': ['ask <@U0123ABC> first', 'ask <@U0123ABC> first'],
};

describe('Markdown for Slack', () => {
  for (const [name, [markdown, mrkdwn]] of Object.entries(cases)) {
    test(name, () => expect(toMrkdwn(markdown)).toBe(mrkdwn));
  }

  test('tables become columns in a code block', () => {
    const table = ['| name | n |', '|:--|--:|', '| `a` | 1 |', '| **日本** | 200 |'].join('\n');
    expect(toMrkdwn(table)).toBe(
      ['```', 'name |   n', '-----+----', 'a    |   1', '日本 | 200', '```'].join('\n'),
    );
  });

  test('nobody is called by what the model writes', () => {
    for (const text of ['<!channel>', '<!here>', '@channel', '@here', '@everyone', '<!subteam^S123>']) {
      const mrkdwn = toMrkdwn(`hi ${text} and **${text}** and [${text}](https://a.example)`);
      expect(mrkdwn).not.toMatch(/<!|@(?:channel|here|everyone)/);
    }
  });

  test('code keeps every byte in quotations and lists too', () => {
    const code = '\tif (a < b) {\n\n    $& "x" @here\n}  ';
    const fenced = (prefix: string) =>
      ['```ts', ...code.split('\n'), '```'].map((line) => prefix + line).join('\n');
    for (const markdown of [
      fenced(''),
      fenced('> '),
      `- item\n${fenced('  ')}`,
      `> - item\n${fenced('>   ')}`,
    ]) {
      expect(seen(toMrkdwn(markdown))).toContain(`\`\`\`\n${code}\n\`\`\``);
    }
  });

  test('a fence within code does not end it', () => {
    const mrkdwn = toMrkdwn('~~~~\n```js\nx\n```\n~~~~');
    expect(mrkdwn.match(/```/g)).toHaveLength(2);
    expect(seen(mrkdwn)).toBe('```\n```js\nx\n```\n```');
  });

  test('texts made to be slow are not parsed', () => {
    for (const part of ['>', '> - ', '*', '**_', '1. ']) {
      const text = part.repeat(1_300);
      expect(seen(toMrkdwn(text))).toBe(text);
    }
  });
});

const markdownish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '**',
          '*',
          '_',
          '~~',
          '`',
          '```',
          '~~~',
          '\n',
          '\n\n',
          '# ',
          '- ',
          '1. ',
          '> ',
          '    ',
          '\t',
          '|',
          '|--|\n',
        ],
        ...[
          '[',
          ']',
          '(',
          ')',
          '![',
          '<',
          '>',
          '&',
          '<!channel>',
          '@here',
          '<@U12345>',
          '$&',
          '\\',
          '<!--',
          '-->',
        ],
        ...[
          'https://a.example/',
          '[x]: ',
          '[x]',
          'word',
          ' ',
          'é',
          '👍🏽',
          '&amp;',
          '&#64;here',
          '\u0000',
          '\r\n',
        ],
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('any Markdown whatever', () => {
  test('leaves no control sequence but links and mentions of a person', () => {
    fc.assert(
      fc.property(markdownish, (markdown) => {
        const rest = toMrkdwn(markdown)
          .replaceAll(/<(?:https?:|mailto:|tel:)[^<>]*>|<@[UW][A-Z0-9]+>/g, '')
          .replaceAll(/^(?:\s|[•◦▪]|\d+\.|☐|☑|\[\^[^\]]*\]:)*(?:> *(?:[•◦▪]|\d+\.|☐|☑|\s)*)*/gm, '');
        expect(rest).not.toContain('<');
        expect(rest.replaceAll(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
      }),
      { numRuns: 500 },
    );
  });

  test('calls nobody', () => {
    fc.assert(
      fc.property(markdownish, (markdown) => {
        const prose = toMrkdwn(markdown).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
        expect(prose).not.toMatch(/<!/);
        expect(prose).not.toMatch(/(?<![`\w])@(?:here|channel|everyone)\b/);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the words of every construct', () => {
    const word = fc.stringMatching(/^[a-z]{4,8}$/);
    const piece = fc.oneof(
      word.map((text) => ({ text, markdown: text })),
      ...['**', '*', '~~', '`', '***'].map((mark) =>
        word.map((text) => ({ text, markdown: `${mark}${text}${mark}` })),
      ),
      word.map((text) => ({ text, markdown: `[${text}](https://a.example)` })),
      ...['# ', '- ', '> ', '1. ', '- [ ] ', '> - ', '    '].map((start) =>
        word.map((text) => ({ text, markdown: `\n\n${start}${text}\n\n` })),
      ),
      word.map((text) => ({ text, markdown: `\n\n| ${text} |\n|---|\n\n` })),
      word.map((text) => ({ text, markdown: `\n\n\`\`\`\n${text}\n\`\`\`\n\n` })),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), (pieces) => {
        const mrkdwn = toMrkdwn(pieces.map(({ markdown }) => markdown).join(' '));
        let from = 0;
        for (const { text } of pieces) {
          const at = mrkdwn.indexOf(text, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + text.length;
        }
      }),
      { numRuns: 300 },
    );
  });

  test('keeps code blocks to the byte', () => {
    const code = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 8 }),
          fc.constantFrom('\n', '\t', '$&', '<!here>', '`', ' '),
        ),
        {
          maxLength: 20,
        },
      )
      .map((parts) => parts.join('').replaceAll(/\r|\0|~~~/g, ''));
    fc.assert(
      fc.property(code, markdownish, (text, around) => {
        const before = around.replaceAll(/[`~<>\n\t]| {2,}|\d\.|[-+*]/g, '');
        const mrkdwn = toMrkdwn(`${before}\n\n~~~~~\n${text}\n~~~~~\n`);
        expect(mrkdwn.replaceAll('\u200b', '').endsWith(`\`\`\`\n${seenEscaped(text)}\n\`\`\``)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

function seenEscaped(text: string): string {
  return text
    .replaceAll('\u200b', '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
