/** A newsletter of which a copy is 10 KB on the wire, with a person's values in a few places. */

const PARAGRAPH =
  'The harvest was early this year, and the first cases leave the cellar on Friday. Whoever orders before ' +
  'Sunday has them at home in the week after; the café at the mill keeps a few bottles back for a tasting.';
const LINKS = ['vineyards', 'tasting', 'recipes', 'directions'];

/** Lines of the HTML part; `{{ … }}` as in Liquid. */
const HTML = [
  '<!doctype html>',
  '<html lang="en"><head><meta charset="utf-8"><title>News from the cellar</title></head>',
  '<body style="margin:0;font-family:sans-serif">',
  '<h1>Good morning, {{ subscriber.name }}</h1>',
  '<p>You asked for news in {{ subscriber.attributes.city }}, and here they are.</p>',
  ...Array.from({ length: 22 }, (_, index) => [
    `<h2 style="color:#333">Part ${index + 1}</h2>`,
    `<p style="line-height:1.5">${PARAGRAPH}</p>`,
    `<p><a href="https://shop.example.com/${LINKS[index % LINKS.length]}/${index}">Read on</a></p>`,
  ]).flat(),
  '<p>Written to {{ subscriber.email }}. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
  '</body></html>',
];

const TEXT = [
  'Good morning, {{ subscriber.name }}',
  '',
  'You asked for news in {{ subscriber.attributes.city }}, and here they are.',
  '',
  PARAGRAPH,
  '',
  'Unsubscribe: {{ unsubscribe_url }}',
];

export const SAMPLE_MAIL = {
  subject: 'News from the cellar for {{ subscriber.name }}',
  html: HTML.join('\n'),
  text: TEXT.join('\n'),
} as const;

export interface SamplePerson {
  readonly email: string;
  readonly name: string;
  readonly attributes: { readonly city: string };
}

/** People by number; each has an address of their own, at one of a hundred providers. */
export function samplePerson(index: number): SamplePerson {
  return {
    email: `person.${index}@provider${index % 100}.example`,
    name: `Person ${index}`,
    attributes: { city: `Town ${index % 1_000}` },
  };
}
