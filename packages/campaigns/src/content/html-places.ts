import { QuoteType, Tokenizer } from 'htmlparser2';

/** Where things stand in HTML, read without a tree, so that all that isn't touched stays byte for byte. */

export interface LinkPlace {
  /** The attribute's value, without its quotes. */
  readonly begin: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

export interface HtmlPlaces {
  /** Values of `href` in `a` and `area`. */
  readonly links: readonly LinkPlace[];
  /** Behind `<body …>`. */
  readonly bodyBegin: number | null;
  /** Before the last `</body>`. */
  readonly bodyEnd: number | null;
  /** Before the last `</html>`. */
  readonly htmlEnd: number | null;
}

const WITH_LINKS = new Set(['a', 'area']);

/** Reads HTML, whole or a fragment, well-formed or not; Liquid in it has to be masked. */
export function readPlaces(html: string): HtmlPlaces {
  const links: LinkPlace[] = [];
  let bodyBegin: number | null = null;
  let bodyEnd: number | null = null;
  let htmlEnd: number | null = null;
  let element = '';
  let attribute = '';
  let value: { begin: number; end: number } | null = null;
  const ignore = () => {};
  const endOfTag = (end: number) => {
    if (element === 'body') bodyBegin ??= end + 1;
    element = '';
  };
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname(start, end) {
        element = html.slice(start, end).toLowerCase();
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        value = null;
      },
      onattribdata(start, end) {
        value = { begin: value?.begin ?? start, end };
      },
      onattribend(quote) {
        if (value !== null && attribute === 'href' && WITH_LINKS.has(element)) {
          links.push({ ...value, isQuoted: quote === QuoteType.Double || quote === QuoteType.Single });
        }
        attribute = '';
      },
      onopentagend: endOfTag,
      onselfclosingtag: endOfTag,
      onclosetag(start, end) {
        const name = html.slice(start, end).toLowerCase();
        // The name stands behind `</`.
        if (name === 'body') bodyEnd = start - 2;
        if (name === 'html') htmlEnd = start - 2;
      },
      onattribentity: ignore,
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { links, bodyBegin, bodyEnd, htmlEnd };
}

/** A change of a stretch of text. */
export interface Edit {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
}

/** Applies changes that do not overlap; of two at one place the first stands first. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let text = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.begin - other.begin)) {
    text += source.slice(at, edit.begin) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}
