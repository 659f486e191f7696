/** Puts a mail's HTML into a frame: only what shows something, styles through the object model, nothing from afar. */

/** Left out with all that is in them. */
const DROPPED = new Set([
  'script',
  'style',
  'noscript',
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'base',
  'meta',
  'link',
  'title',
  'template',
  'portal',
  'audio',
  'video',
  'source',
  'track',
  'svg',
  'math',
  'form',
  'input',
  'button',
  'select',
  'textarea',
  'dialog',
]);

/** Attributes that say how something looks or reads; none can load or run anything. */
const KEPT = new Set([
  'align',
  'alt',
  'bgcolor',
  'border',
  'cellpadding',
  'cellspacing',
  'class',
  'color',
  'colspan',
  'dir',
  'face',
  'height',
  'id',
  'lang',
  'nowrap',
  'role',
  'rowspan',
  'size',
  'span',
  'start',
  'summary',
  'title',
  'type',
  'valign',
  'width',
]);

const STYLE = 'data-style';
const SHEET = 'data-sheet';

/**
 * The same HTML with its styles under names that mean nothing to a browser: the page's policy forbids inline ones even
 * in what is only parsed, and says so on the console for each. A style in markup too broken to be found here is lost.
 */
function withoutLiveStyles(html: string): string {
  return html
    .replace(/<style(?=[\s>])/gi, `<script type="text/css" ${SHEET}`)
    .replace(/<\/style(?=[\s>])/gi, '</script')
    .replace(/<[a-z](?:"[^"]*"|'[^']*'|[^'">])*>/gi, (tag) =>
      tag.replace(/"[^"]*"|'[^']*'|([\s/])style(?=\s*=)/gi, (part, before?: string) =>
        before === undefined ? part : before + STYLE,
      ),
    );
}

const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

export interface Pictures {
  /** What `cid:` addresses stand for. */
  readonly attached: ReadonlyMap<string, string>;
  /** Whether those from elsewhere are loaded; the frame's own policy has to allow it. */
  readonly remote: boolean;
}

/** @returns how many pictures from elsewhere were left out. */
export function fillFrame(frame: Document, html: string, { attached, remote }: Pictures): number {
  const parsed = new DOMParser().parseFromString(withoutLiveStyles(html), 'text/html');
  let withheld = 0;

  function pictureOf(element: Element): Node {
    const source = element.getAttribute('src')?.trim() ?? '';
    const isShown = /^data:image\/(png|jpeg|gif|webp);/i.test(source) || (remote && /^https?:/i.test(source));
    const shown = isShown ? source : attached.get(source.replace(/^cid:/i, ''));
    if (shown === undefined) {
      // One that is not meant to be seen is not missed.
      const isPixel = ['width', 'height'].some((name) => Number(element.getAttribute(name) ?? 99) <= 2);
      if (isPixel) return frame.createTextNode('');
      withheld += 1;
    }
    const picture = copyOf(element, 'img') as HTMLImageElement;
    if (shown === undefined) picture.setAttribute('data-withheld', '');
    else {
      picture.referrerPolicy = 'no-referrer';
      picture.src = shown;
    }
    return picture;
  }

  function copyOf(element: Element, name: string): HTMLElement {
    const copy = frame.createElement(name);
    for (const { name: attribute, value } of element.attributes) {
      if (KEPT.has(attribute)) copy.setAttribute(attribute, value);
    }
    const style = element.getAttribute(STYLE);
    if (style !== null) copy.style.cssText = withoutAddresses(style);
    if (name === 'a') {
      const href = element.getAttribute('href') ?? '';
      // Shown where it leads, but not followed: a click in a preview must not unsubscribe anybody.
      if (href !== '') copy.title = href;
      copy.setAttribute('data-link', '');
    }
    return copy;
  }

  function copyInto(parent: Node, from: Node): void {
    for (const child of from.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) parent.appendChild(frame.createTextNode(child.nodeValue ?? ''));
      else if (child instanceof Element) copyElement(parent, child);
    }
  }

  function copyElement(parent: Node, element: Element): void {
    const name = element.localName;
    if (element.namespaceURI !== HTML_NAMESPACE || DROPPED.has(name)) {
      // What a form wraps is often the whole mail.
      if (name === 'form') copyInto(parent, element);
      return;
    }
    if (name === 'img') {
      parent.appendChild(pictureOf(element));
      return;
    }
    // A name that no element has would throw; what is in it still shows.
    const copy = /^[a-z][a-z0-9]*$/.test(name) ? copyOf(element, name) : frame.createElement('span');
    copyInto(copy, element);
    parent.appendChild(copy);
  }

  const body = copyOf(parsed.body, 'body');
  copyInto(body, parsed.body);
  frame.documentElement.replaceChild(body, frame.body);
  const own = [...parsed.querySelectorAll(`script[${SHEET}]`)].map((sheet) =>
    withoutAddresses(sheet.textContent ?? ''),
  );
  frame.adoptedStyleSheets = sheetsOf(frame, [BASE, ...own]);
  return withheld;
}

/** As mail programs have it before the mail says anything; paper is white in both themes. */
const BASE = `
  html { background: #fff; color: #1a1a1a; color-scheme: light; font-family: sans-serif; }
  body { overflow-wrap: anywhere; }
  img { max-width: 100%; }
  img[data-withheld] { min-width: 24px; min-height: 24px; background: #eee; outline: 1px dashed #999; color: #555; }
  a[data-link] { color: #0b57d0; text-decoration: underline; cursor: help; }
`;

function sheetsOf(frame: Document, texts: readonly string[]): CSSStyleSheet[] {
  const view = frame.defaultView as (Window & typeof globalThis) | null;
  if (view === null) return [];
  return texts.map((text) => {
    // Of the frame's own kind: a document takes no sheets of another's.
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
}

/** Styles without anything that would be fetched; the policy would stop it too, and say so on the console. */
function withoutAddresses(css: string): string {
  return css.replace(/@import[^;]*;?/gi, '').replace(/url\(\s*(?!["']?data:image\/)[^)]*\)/gi, 'none');
}
