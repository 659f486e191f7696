import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Block, type Inline, parseInline, parseMarkdown, plainText, safeHref } from './markdown.ts';

const text = (value: string): Inline => ({ kind: 'text', text: value });

/** Every link of a tree. */
function hrefs(blocks: readonly Block[]): string[] {
  const inside = (inline: Inline): string[] => {
    const own = inline.kind === 'link' ? [inline.href] : [];
    return 'children' in inline ? [...own, ...inline.children.flatMap(inside)] : own;
  };
  return blocks.flatMap((block) => {
    if (block.kind === 'code') return [];
    if (block.kind === 'quote') return hrefs(block.blocks);
    return (block.kind === 'list' ? block.items.flat() : block.children).flatMap(inside);
  });
}

describe('inside a line', () => {
  test('bold, italic, strike and code are found, also inside each other', () => {
    expect(parseInline('a **b *c*** ~~d~~ `e*f*`')).toEqual([
      text('a '),
      { kind: 'strong', children: [text('b '), { kind: 'emphasis', children: [text('c')] }] },
      text(' '),
      { kind: 'strike', children: [text('d')] },
      text(' '),
      { kind: 'code', text: 'e*f*' },
    ]);
  });

  test.each(['2 * 3 * 4', 'snake_case_name', '5 ** 2', '* not closed', 'a`b', '***', '~~ x ~~', 'a * b*'])(
    '%s stays as it is',
    (source) => {
      expect(parseInline(source)).toEqual([text(source)]);
    },
  );

  test.each([
    ['send\\_file', 'send_file'],
    ['\\*not italic\\*', '*not italic*'],
    ['*not closed\\*', '*not closed*'],
    ['**not closed\\**', '**not closed**'],
    ['\\[no link\\](https://evil.example/)', '[no link](https://evil.example/)'],
    ['\\~\\~kept\\~\\~ \\`code\\` \\# \\\\', '~~kept~~ `code` # \\'],
    ['C:\\Users\\.config', 'C:\\Users\\.config'],
  ])('%s has no markup behind its backslashes', (source, shown) => {
    expect(plainText(source)).toBe(shown);
    expect(parseInline(source).filter(({ kind }) => kind !== 'text' && kind !== 'link')).toEqual([]);
  });

  test('markup goes on over an escaped mark', () => {
    expect(parseInline('*a\\*b*')).toEqual([
      { kind: 'emphasis', children: [text('a'), text('*'), text('b')] },
    ]);
    expect(parseInline('`a\\_b`')).toEqual([{ kind: 'code', text: 'a\\_b' }]);
  });

  test('a bare address ends before the punctuation of its sentence', () => {
    const [, link, rest] = parseInline('see https://example.com/a_(b), please');
    expect(link).toEqual({
      kind: 'link',
      href: 'https://example.com/a_(b)',
      children: [text('https://example.com/a_(b)')],
    });
    expect(rest).toEqual(text(','));
  });

  test('a link may carry markup, but no link', () => {
    expect(parseInline('[**x** https://a.example](https://b.example)')).toEqual([
      {
        kind: 'link',
        href: 'https://b.example/',
        children: [{ kind: 'strong', children: [text('x')] }, text(' '), text('https://a.example')],
      },
    ]);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', '//evil.example', 'java\nscript:x'])(
    '%s is never followed',
    (target) => {
      expect(safeHref(target)).toBeNull();
      expect(hrefs(parseMarkdown(`[x](${target})`))).toEqual([]);
    },
  );

  test('mentions are words after an @, not parts of an address', () => {
    expect(parseInline('hi @anna.b, mail me@example.com')).toEqual([
      text('hi '),
      { kind: 'mention', text: 'anna.b' },
      text(', mail me@example.com'),
    ]);
  });
});

describe('blocks', () => {
  test('a fence keeps its lines, language and inner marks', () => {
    expect(parseMarkdown('before\n````ts\nlet a = `x`;\n```\n````\nafter')).toEqual([
      { kind: 'paragraph', children: [text('before')] },
      { kind: 'code', language: 'ts', text: 'let a = `x`;\n```' },
      { kind: 'paragraph', children: [text('after')] },
    ]);
  });

  test('a fence that is never closed is code to the end', () => {
    expect(parseMarkdown('```\na\nb')).toEqual([{ kind: 'code', language: '', text: 'a\nb' }]);
  });

  test('lists, quotes and headings are told apart', () => {
    expect(parseMarkdown('# Head\n- a\n- b\n3. c\n> q\n> - d').map(({ kind }) => kind)).toEqual([
      'heading',
      'list',
      'list',
      'quote',
    ]);
  });

  test('line breaks of a paragraph stay', () => {
    expect(parseMarkdown('a\nb\n\nc')).toEqual([
      { kind: 'paragraph', children: [text('a\nb')] },
      { kind: 'paragraph', children: [text('c')] },
    ]);
  });

  test('quotes nest only so far, and the rest is text', () => {
    expect(plainText(`${'> '.repeat(40)}deep`)).toContain('deep');
  });
});

test('whatever is written, no word is lost and only safe links come out', () => {
  const piece = fc.constantFrom(
    '*',
    '**',
    '_',
    '`',
    '```',
    '~~',
    '[',
    '](',
    ')',
    '\n',
    '> ',
    '- ',
    '@',
    'word',
    'javascript:',
    'https://a.example',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const source = pieces.join('');
      const blocks = parseMarkdown(source);
      for (const href of hrefs(blocks)) expect(href).toMatch(/^(https?|mailto):/);
      const words = (value: string) => value.split('word').length;
      // The language of a fence and the target of a link are no words of the message.
      if (source.includes('```') || source.includes('](')) return;
      expect(words(plainText(source))).toBe(words(source));
    }),
  );
});
