import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileContent } from './compile.ts';
import { writtenLiquid } from './liquid.ts';
import { renderContent } from './personalise.ts';
import { sampleVariables, withData } from './sample.ts';

const PIECES = [
  '{{ subscriber.attributes.x }}',
  '{{subscriber.attributes.x | default: "nothing"}}',
  '{{- subscriber.attributes.x -}}',
  '{{ subscriber.attributes["x"] | upcase }}',
  '{% if subscriber.attributes.x %}yes{% else %}no{% endif %}',
  '{% for i in subscriber.attributes.x %}[{{ i }}]{% endfor %}',
  '{% assign y = subscriber.attributes.x %}',
  '{{ y }}',
  '{% increment n %}',
  '{% cycle "a", "b" %}',
  '{% raw %}{{ x }}{% endraw %}',
  '{% comment %}{{ x }}{% endcomment %}',
  '{% capture z %}<{{ subscriber.name }}>{% endcapture %}',
  '{{ z }}',
  '{{ subscriber.attributes.x.size }}',
  '{{ subscriber.attributes.missing.deep }}',
  ' \n  ',
  'fixed <text> & more',
];

test('taking a template apart changes nothing of what it says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }),
      fc.jsonValue(),
      async (pieces, x) => {
        const text = pieces.join('');
        const variables = withData(sampleVariables('https://hub.example'), {
          subscriber: { attributes: { x } },
        });
        const { content } = await compileContent(
          { subject: '', preheader: null, html: null, mjml: null, text },
          { clicks: false, opens: false, strict: false },
        );
        const compiled = JSON.parse(JSON.stringify(content));
        for (let copy = 0; copy < 2; copy += 1) {
          expect(renderContent(compiled, { variables, tracking: null }).text).toBe(
            writtenLiquid.parseAndRenderSync(text, { ...variables }),
          );
        }
      },
    ),
  );
});

test('any value stays inside its place in HTML', async () => {
  const { content } = await compileContent(
    {
      subject: '{{ subscriber.name }}',
      preheader: null,
      html: '<p title="{{ subscriber.name }}">{{ subscriber.name | strip }}</p>',
      mjml: null,
      text: '',
    },
    { clicks: false, opens: false, strict: false },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const variables = withData(sampleVariables('https://hub.example'), {
        subscriber: { name: name.toWellFormed() },
      });
      const { html, subject } = renderContent(content, { variables, tracking: null });
      expect(html).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    }),
  );
});
