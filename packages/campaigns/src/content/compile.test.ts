import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CompileOptions, ContentError, type ContentSource, compileContent } from './compile.ts';
import type { Recipient } from './compiled.ts';
import { personalise, renderContent } from './personalise.ts';
import { sampleVariables, withData } from './sample.ts';
import { TemplateError } from './template-error.ts';

const source = (given: Partial<ContentSource>): ContentSource => ({
  subject: 'News',
  preheader: null,
  html: null,
  mjml: null,
  text: null,
  ...given,
});

const plain: CompileOptions = { clicks: false, opens: false, strict: false };
const tracked: CompileOptions = { clicks: true, opens: true, strict: false };

function someone(
  data: Readonly<Record<string, unknown>> = {},
  tracking: Recipient['tracking'] = null,
): Recipient {
  return { variables: withData(sampleVariables('https://hub.example'), data), tracking };
}

const redirects: Recipient['tracking'] = {
  click: (link) => `https://hub.example/p/c/token/${link}`,
  clickTo: (url) => `https://hub.example/p/l/${encodeURIComponent(url)}`,
  pixel: 'https://hub.example/p/o/token',
};

async function render(
  given: Partial<ContentSource>,
  recipient: Recipient = someone(),
  options: CompileOptions = plain,
) {
  const { content } = await compileContent(source(given), options);
  return renderContent(JSON.parse(JSON.stringify(content)), recipient);
}

async function errorsOf(given: Partial<ContentSource>): Promise<readonly TemplateError[]> {
  const error = await compileContent(source(given), plain).catch((error: unknown) => error);
  if (!(error instanceof ContentError)) throw new Error('it compiled');
  return error.errors;
}

describe('a compiled content', () => {
  test('says to each person what was written', async () => {
    const given = {
      subject: 'Hello {{ subscriber.name | default: "friend" }}',
      html: '<p>{{ subscriber.name }} of {{ subscriber.attributes.city }} on {{ list.name }}</p>',
      text: '{{ subscriber.email }} {{ unsubscribe_url }}',
    };
    expect(
      await render(
        given,
        someone({ subscriber: { name: 'Zoë', attributes: { city: 'Åbo' } }, list: { name: 'L' } }),
      ),
    ).toEqual({
      subject: 'Hello Zoë',
      html: '<p>Zoë of Åbo on L</p>',
      text: 'ana@example.org https://hub.example/p/u/sample',
    });
    expect((await render(given, someone({ subscriber: { name: null } }))).subject).toBe('Hello friend');
  });

  test('leaves what is fixed in one piece and makes one hole of equal variables', async () => {
    const { content } = await compileContent(
      source({
        html: '<b>{{ subscriber.name }}</b>, <i>{{subscriber.name}}</i>{% comment %} {{ x }} {% endcomment %}!',
      }),
      plain,
    );
    expect(content.html).toEqual(['<b>', { hole: 'h0' }, '</b>, <i>', { hole: 'h0' }, '</i>!']);
    expect(content.holes.h0).toMatchObject({ kind: 'value', path: ['subscriber', 'name'] });
  });

  test('escapes values in HTML, in text and subject it does not', async () => {
    const name = `<script>&"'</script>`;
    const recipient = someone({ subscriber: { name, attributes: { html: '<b>' } } });
    const given = {
      subject: '{{ subscriber.name }}',
      html: '<a title="{{ subscriber.name }}">{{ subscriber.name | upcase }}</a>{{ subscriber.name | escape }}{{ subscriber.attributes.html | raw }}',
      text: '{{ subscriber.name | escape }}',
    };
    const escaped = '&lt;script&gt;&amp;&quot;&#39;&lt;/script&gt;';
    expect(await render(given, recipient)).toEqual({
      subject: name,
      html: `<a title="${escaped}">&lt;SCRIPT&gt;&amp;&quot;&#39;&lt;/SCRIPT&gt;</a>${escaped}<b>`,
      text: name,
    });
  });

  test('keeps a subject on one line', async () => {
    const recipient = someone({ subscriber: { attributes: { x: 'a\r\nBcc: b\u2028c\u0000' } } });
    const given = {
      subject: 'S {{ subscriber.attributes.x }}{% if true %}\r\n{{ subscriber.attributes.x }}{% endif %}',
    };
    expect((await render(given, recipient)).subject).toBe('S a Bcc: b c  a Bcc: b c');
  });

  test('runs loops, conditions and assignments in their order', async () => {
    const html =
      '{% assign n = 0 %}<ul>{% for tag in subscriber.attributes.tags %}<li>{{ tag }}</li>{% assign n = n | plus: 1 %}{% endfor %}</ul>' +
      '{{ n }} {% if n > 1 %}many{% else %}few{% endif %}{% raw %}{{ n }}{% endraw %}';
    const recipient = someone({ subscriber: { attributes: { tags: ['a', '<b>'] } } });
    expect((await render({ html, text: '' }, recipient)).html).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>2 many{{ n }}',
    );
  });

  test('shows captured HTML as it was written', async () => {
    const html =
      '{% capture x %}<b>{{ subscriber.name }}</b>{% endcapture %}{{ x }}{% if x == "<b>A&amp;B</b>" %}!{% endif %}';
    expect((await render({ html }, someone({ subscriber: { name: 'A&B' } }))).html).toBe('<b>A&amp;B</b>!');
  });

  test('takes a name that a template gives itself from there', async () => {
    const html = '{% assign list = "mine" %}{{ list }} {{ list.name }}';
    expect((await render({ html })).html).toBe('mine ');
  });

  test('reaches no prototype, no file and no other template', async () => {
    const html =
      '{{ subscriber.constructor.name }}{{ subscriber.attributes.__proto__ }}{{ subscriber.toString }}';
    expect((await render({ html })).html).toBe('');
    for (const tag of [
      'include "x"',
      'render "/etc/passwd"',
      'layout "x"',
      'postern_click 1',
      'postern_pixel',
    ]) {
      expect(await errorsOf({ html: `{% ${tag} %}` })).toMatchObject([
        { field: 'html', at: { line: 1, column: 1 } },
      ]);
    }
  });

  test('stops a template that takes too much', async () => {
    const html = '{% for i in (1..100000000) %}{{ i }}{% endfor %}';
    await expect(render({ html, text: '' })).rejects.toThrow(TemplateError);
  });

  test('refuses more Liquid than a template can need', async () => {
    const html = `<p>\n${'{{ x }}'.repeat(10_001)}</p>`;
    expect((await errorsOf({ html })).map(String)).toEqual([
      'TemplateError: has more than 10,000 outputs and tags (line 2, column 70001)',
    ]);
    const { content } = await compileContent(source({ html: '{{ x }}'.repeat(10_000), text: '' }), plain);
    expect(content.html).toHaveLength(10_000);
  });

  test('lets a template that takes little wait for its turn, however long', async () => {
    const now = performance.now.bind(performance);
    let paused = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      paused += 10_000;
      return now() + paused;
    });
    onTestFinished(() => clock.mockRestore());
    const html = '{% for i in (1..3) %}{{ i }}{% endfor %}{{ subscriber.name | upcase }}';
    expect((await render({ html, text: '' })).html).toContain('123');
    expect(paused).toBeGreaterThan(0);
  });

  test.each([
    "where_exp: 'i', 'i > 5'",
    "group_by_exp: 'i', '1'",
    "find: 'a', 1",
    "find_index_exp: 'i', 'i == 0'",
  ])('stops a filter that takes too long: %s', async (filter) => {
    const html = `{{ (1..900000) | ${filter} | size }}`;
    await expect(render({ html, text: '' })).rejects.toThrow(/takes too long to render/);
  });
});

describe('what is too much', () => {
  test('is told as an error of the template', async () => {
    const nested = `{{ x${'[x'.repeat(20_000)}${']'.repeat(20_000)} }}`;
    expect(await errorsOf({ html: nested })).toMatchObject([{ field: 'html', reason: 'nests too deep' }]);
    const sections = '<mj-section>'.repeat(20_000) + '</mj-section>'.repeat(20_000);
    const mjml = `<mjml><mj-body>${sections}</mj-body></mjml>`;
    expect(await errorsOf({ mjml })).toMatchObject([{ field: 'mjml', reason: 'nests too deep' }]);
    const appended = `{{ "a" ${'| append: "bbbbbbbbbb"'.repeat(3_000)} }}`;
    await expect(render({ text: appended })).rejects.toThrow('makes too much to render');
  });

  test('leaves the plain text of deep HTML at some depth', async () => {
    expect((await render({ html: `<p>top</p>${'<div>'.repeat(5_000)}` })).text).toContain('top');
  });
});

describe('a missing value', () => {
  const html =
    'one\n  {{ subscriber.attributes.x }}|{{ subscriber.attributes.y | upcase }}|{{ subscriber.name }}';

  test('is empty', async () => {
    expect((await render({ html }, someone({ subscriber: { name: null } }))).html).toBe('one\n  ||');
  });

  test('is an error with its place where variables are strict', async () => {
    const strict = { ...plain, strict: true };
    const failing = (html: string) =>
      render({ html, text: '' }, someone(), strict).catch((error: unknown) => error);
    expect(await failing(html)).toMatchObject({
      field: 'html',
      reason: 'subscriber.attributes.x has no value',
      at: { line: 2, column: 3 },
    });
    expect(
      await failing('\n\n{% if true %}\n {{ subscriber.attributes.y | upcase }}{% endif %}'),
    ).toMatchObject({
      reason: 'subscriber.attributes.y has no value',
      at: { line: 4, column: 5 },
    });
    const lenient =
      '{{ subscriber.attributes.x | default: "-" }}{% if subscriber.attributes.x %}x{% endif %}';
    expect((await render({ html: lenient, text: '' }, someone(), strict)).html).toBe('-');
  });
});

describe('an error of syntax', () => {
  test.each([
    ['a\n{{ x | ', 2, 1],
    ['a\nb {{ x | nofilter }}', 2, 3],
    ['{% if x %}\n', 1, 1],
    ['\n\n  {% foo %}', 3, 3],
  ])('%j is told by line and column', async (html, line, column) => {
    const [error] = await errorsOf({ html });
    expect(error?.at).toEqual({ line, column });
    expect(error?.message).toMatch(new RegExp(`line ${line}, column ${column}`));
    expect(error?.message).not.toMatch(/col:/);
  });

  test('is told for each field', async () => {
    const errors = await errorsOf({ subject: '{{', html: '{% if %}', text: '{{ a | }}{{' });
    expect(errors.map(({ field }) => field)).toEqual(['subject', 'html', 'text']);
  });
});

describe('what is hardly meant', () => {
  test('is warned of', async () => {
    const { warnings } = await compileContent(
      source({
        html: '{{ firstname }} {{ subscriber.first }} {% for x in subscriber.attributes.l %}{{ x }}{% endfor %}',
      }),
      plain,
    );
    expect(warnings).toEqual([
      'html: nothing is known as {{ firstname }}',
      'html: nothing is known as {{ subscriber.first }}',
    ]);
  });

  test.each([
    ['in a comment of HTML', '<!-- {{ unsubscribe_url }} -->'],
    ['in a branch that nobody takes', '{% if false %}{{ unsubscribe_url }}{% endif %}'],
    ['for some alone', '{% if subscriber.attributes.vip %}{{ unsubscribe_url }}{% endif %}'],
    ['assigned and never shown', '{% assign link = unsubscribe_url %}<p>Hello</p>'],
    ['under a condition on it', '{% if unsubscribe_url %}<p>Hello</p>{% endif %}'],
  ])('an unsubscribe link %s is none', async (_where, html) => {
    expect((await compileContent(source({ html }), plain)).unsubscribe.html).toBe(false);
  });

  test('an unsubscribe link counts in either branch, through a variable, and whatever is strict', async () => {
    const has = async (html: string, options = plain) =>
      (await compileContent(source({ html }), options)).unsubscribe.html;
    const vip =
      '{% if subscriber.attributes.vip %}VIP {{ unsubscribe_url }}{% else %}{{ unsubscribe_url }}{% endif %}';
    expect(await has(vip)).toBe(true);
    expect(await has('{% assign link = unsubscribe_url %}<a href="{{ link }}">x</a>')).toBe(true);
    const named =
      '{% if subscriber.name %}{{ subscriber.name }}, {{ unsubscribe_url }}{% else %}{{ unsubscribe_url }}{% endif %}';
    expect(await has(named)).toBe(true);
    expect(await has('Dear {% if subscriber.name %}{{ unsubscribe_url }}{% endif %}')).toBe(false);
    expect(await has('Dear {% unless subscriber.name %}{{ unsubscribe_url }}{% endunless %}')).toBe(false);
    const strict = '{{ subscriber.attributes.city }} {{ unsubscribe_url }}';
    expect(await has(strict, { ...plain, strict: true })).toBe(true);
    expect(await has('<a href="{{ unsubscribe_url }}">x</a>', { ...plain, clicks: true, opens: true })).toBe(
      true,
    );
  });

  test('an unsubscribe link is looked for in Liquid, not in letters', async () => {
    const has = async (html: string) => (await compileContent(source({ html }), plain)).unsubscribe.html;
    expect(await has('{{ unsubscribe_url }}')).toBe(true);
    expect(await has('{% if list.name %}<a href="{{unsubscribe_url|raw}}">x</a>{% endif %}')).toBe(true);
    expect(await has('unsubscribe_url {% raw %}{{ unsubscribe_url }}{% endraw %}')).toBe(false);
    expect(await has('{% comment %}{{ unsubscribe_url }}{% endcomment %}')).toBe(false);
  });
});

describe('tracked links', () => {
  const html = [
    '<html><body class="x"><a href="https://example.org/?a=1&amp;b=%20ä#f">one</a>',
    "<a class=a HREF='https://example.org/two'>two</a><a href=https://example.org/two>again</a>",
    '<a href="mailto:a@b.example">mail</a><a href="#top">top</a><a href="/x">x</a>',
    '<a href="{{ unsubscribe_url }}">bye</a><a href="https://example.org/{{ subscriber.attributes.code | default: "a b" }}">code</a>',
    '{% for n in (1..2) %}<a href="https://example.org/n?{{ n }}&amp;x">{{ n }}</a>{% endfor %}',
    '<!-- <a href="https://example.org/no"> --><p title="<a href=\'https://example.org/no\'>">x</p></body></html>',
  ].join('\n');

  test('lead through the hub, the others stay as they are', async () => {
    const { content } = await compileContent(source({ html, text: '' }), tracked);
    expect(content.links).toEqual(['https://example.org/?a=1&b=%20ä#f', 'https://example.org/two']);
    const { html: rendered } = renderContent(
      content,
      someone({ subscriber: { attributes: { code: 'q&r' } } }, redirects),
    );
    expect(rendered).toContain('<a href="https://hub.example/p/c/token/0">one</a>');
    expect(rendered).toContain("HREF='https://hub.example/p/c/token/1'>two</a>");
    expect(rendered).toContain('<a href="https://hub.example/p/c/token/1">again</a>');
    expect(rendered).toContain(
      '<a href="mailto:a@b.example">mail</a><a href="#top">top</a><a href="/x">x</a>',
    );
    expect(rendered).toContain('<a href="https://hub.example/p/u/sample">bye</a>');
    expect(rendered).toContain(`/p/l/${encodeURIComponent('https://example.org/q&r')}">code</a>`);
    expect(rendered).toContain(`/p/l/${encodeURIComponent('https://example.org/n?2&x')}">2</a>`);
    expect(rendered).toContain('<!-- <a href="https://example.org/no"> -->');
    expect(rendered).toMatch(/<img src="https:\/\/hub\.example\/p\/o\/token"[^>]*><\/body><\/html>$/);
  });

  test('are what they were where nothing is tracked', async () => {
    const { content } = await compileContent(source({ html, text: '' }), { ...plain, clicks: true });
    const untracked = await compileContent(source({ html, text: '' }), plain);
    const [one, other] = [content, untracked.content].map(
      (compiled) => renderContent(compiled, someone()).html,
    );
    expect(
      one?.replace('<a href="https://example.org/two">again', '<a href=https://example.org/two>again'),
    ).toBe(other?.replaceAll("'https", "'https"));
  });
});

describe('a preheader', () => {
  test('stands hidden at the top of the body, with its variables', async () => {
    const given = {
      html: '<html><body bgcolor="#fff"><p>x</p></body></html>',
      preheader: 'A & {{ subscriber.name }}',
    };
    const { html, text } = await render(given, someone({ subscriber: { name: '<B>' } }));
    expect(html).toMatch(
      /^<html><body bgcolor="#fff"><div style="display:none;[^"]*" aria-hidden="true">A &amp; &lt;B&gt;<\/div><p>/,
    );
    expect(text).toBe('x');
  });
});

describe('plain text', () => {
  test('is made from HTML, with its Liquid and its addresses', async () => {
    const html =
      '<html><head><title>t</title><style>p{}</style></head><body><h1>Hello {{ subscriber.name }}</h1>' +
      '<p>One\n two <a href="https://example.org/?a=1&amp;b">here</a>.</p><img src="x.png" alt="A cat">' +
      '{% if subscriber.attributes.vip %}<p>VIP &amp; more</p>{% endif %}<a href="{{ unsubscribe_url }}">Unsubscribe</a></body></html>';
    const { text } = await render(
      { html },
      someone({ subscriber: { name: '<Ana>', attributes: { vip: true } } }),
    );
    expect(text).toContain('Hello <Ana>');
    expect(text).toContain('One two here <https://example.org/?a=1&b>.');
    expect(text).toContain('A cat');
    expect(text).toContain('VIP & more');
    expect(text).toContain('Unsubscribe <https://hub.example/p/u/sample>');
    expect(text).not.toContain('x.png');
    expect((await render({ html })).text).not.toContain('VIP');
  });

  test('has nothing of what the HTML hides', async () => {
    const html =
      '<div style="color:red;display:none;">Preview of {{ list.name }}</div>' +
      '<div style="display: none"><b>more</b>{% assign city = "Faro" %}</div><p>In {{ city }}</p>';
    const { text } = await render({ html });
    expect(text).not.toContain('Preview');
    // Its tag is needed further down.
    expect(text).toContain('In Faro');
    const mjml =
      '<mjml><mj-head><mj-preview>Preview</mj-preview></mj-head><mj-body><mj-section><mj-column><mj-text>Seen</mj-text></mj-column></mj-section></mj-body></mjml>';
    expect((await render({ mjml })).text?.trim()).toBe('Seen');
  });

  test('is taken as it was written when it was', async () => {
    expect((await render({ html: '<p>a</p>', text: ' b\r\n{{ list.name }}' })).text).toBe(
      ' b\r\nSample list',
    );
  });
});

describe('MJML', () => {
  const mjml = (body: string) => `<mjml>\n<mj-body>\n${body}\n</mj-body>\n</mjml>`;

  test('becomes HTML, with its Liquid in place', async () => {
    const given = mjml(
      '<mj-section><mj-column><mj-text>Hi {{ subscriber.name | default: "you" }}, 1 &lt; 2</mj-text>' +
        '<mj-button href="https://example.org/{{ subscriber.attributes.c }}">Go</mj-button>' +
        '<mj-raw>{% if a < b %}</mj-raw><mj-text>x</mj-text><mj-raw>{% endif %}</mj-raw></mj-column></mj-section>',
    );
    const { html, text } = await render({ mjml: given }, someone({ subscriber: { attributes: { c: '7' } } }));
    expect(html).toMatch(/^\s*<!doctype html>/i);
    expect(html).toContain('Hi Ana Example, 1 &lt; 2');
    expect(html).toContain('href="https://example.org/7"');
    expect(html).not.toMatch(/fonts\.googleapis|pstn\d/);
    expect(text).toContain('Go <https://example.org/7>');
  });

  test('that is none is told by its line', async () => {
    expect(await errorsOf({ mjml: mjml('<mj-section>\n  <mj-nothing /></mj-section>') })).toMatchObject([
      { field: 'mjml', at: { line: 4, column: 3 } },
    ]);
    expect(await errorsOf({ mjml: mjml('{% if a %}<mj-section></mj-section>{% endif %}') })).toMatchObject([
      { field: 'mjml', at: { line: 3, column: 1 } },
    ]);
    expect(await errorsOf({ mjml: mjml('\n<mj-include path="/etc/passwd" />') })).toMatchObject([
      { field: 'mjml', at: { line: 4, column: 1 } },
    ]);
    expect(await errorsOf({ mjml: 'no mjml' })).toMatchObject([{ field: 'mjml' }]);
  });

  test('tells where a value is missing', async () => {
    const { content } = await compileContent(
      source({
        mjml: mjml(
          '<mj-section><mj-column><mj-text>\n {{ subscriber.attributes.x }}</mj-text></mj-column></mj-section>',
        ),
      }),
      { ...plain, strict: true },
    );
    expect(() => personalise(content, someone())).toThrow('line 4, column 2');
  });
});
