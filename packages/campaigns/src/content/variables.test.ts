import { expect, test } from 'vitest';
import { writtenLiquid } from './liquid.ts';
import { namesIn, unknownNames } from './variables.ts';

test.each([
  '{{ a.b["c"].d[e.f] }}',
  '{% for x in y.z %}{{ x.q }}{{ forloop.index }}{{ w }}{% endfor %}{{ x }}',
  '{% assign k = m | append: n %}{{ k }}',
  '{% if a == b and c.d contains "x" %}{{ e }}{% elsif f %}{% else %}{{ g }}{% endif %}',
  '{% case a %}{% when b %}{{ c }}{% endcase %}',
  '{% capture z %}{{ q }}{% endcapture %}{{ z }}',
  '{% for i in (1..n) limit: m %}{% endfor %}',
  '{% tablerow r in rows cols: c %}{{ r }}{% endtablerow %}',
  '{% unless a %}{{ b }}{% endunless %}',
  '{% cycle g: a, b %}{% increment v %}{{ v }}',
  '{% liquid\nassign x = y\necho x\n%}{% echo a | default: b, allow_false: d %}',
  '{% raw %}{{ a }}{% endraw %}{% comment %}{{ b }}{% endcomment %}',
])('names in %j are those that the engine finds', (source) => {
  expect([...namesIn(source)].sort()).toEqual(writtenLiquid.globalVariablesSync(source).sort());
});

test('names that no mail has are told once each', () => {
  const source =
    '{{ x }}{{ x.y }}{{ subscriber.first }}{{ subscriber.name }}{{ subscriber.attributes.any }}{{ list.id }}';
  expect(unknownNames(source)).toEqual(['x', 'subscriber.first', 'list.id']);
});
