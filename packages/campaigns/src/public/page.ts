import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Pages people meet: whole HTML documents that load nothing, run nothing and read well on any screen. */

const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c2127, #e6e9ed); --dim: light-dark(#5b6570, #9aa5b1);
  --line: light-dark(#dde1e6, #333a43); --page: light-dark(#f4f5f7, #111418); --card: light-dark(#fff, #1a1f25);
  --accent: light-dark(#0b57d0, #8ab4f8); --on-accent: light-dark(#fff, #0b1b33); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; padding: 2rem 1rem; display: grid; place-content: start center;
  grid-template-columns: minmax(0, 34rem); background: var(--page); color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
main { padding: 1.75rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
@media (min-width: 40rem) { body { padding-top: 12vh; } main { padding: 2.25rem; } }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.3; } p { margin: .75rem 0; }
.dim { color: var(--dim); font-size: .9375rem; } a { color: var(--accent); }
fieldset { margin: 1.25rem 0; padding: 0; border: 0; } legend { padding: 0; font-weight: 600; }
label { display: flex; gap: .75rem; align-items: flex-start; padding: .75rem 0; border-bottom: 1px solid var(--line);
  cursor: pointer; } label small { display: block; color: var(--dim); }
input[type=checkbox] { width: 1.25rem; height: 1.25rem; margin: .2rem 0 0; flex: none; accent-color: var(--accent); }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--accent); border-radius: .5rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button.quiet { background: transparent; color: var(--accent); }
button:focus-visible, a:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 0; }
ul { margin: 1rem 0; padding: 0; list-style: none; } li { padding: .75rem 0; border-bottom: 1px solid var(--line); }
li time { display: block; color: var(--dim); font-size: .9375rem; }
`;

const HASH = createHash('sha256').update(STYLE).digest('base64');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
};

/** HTML that was escaped where it needs it. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template of HTML: texts in it are escaped, {@link Html} and lists of it are not. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += written(value) + (strings[index + 1] ?? '');
  return { html: text };
}

function written(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map((one) => one.html).join('');
}

export interface Page {
  readonly status?: number;
  readonly title: string;
  readonly body: Html;
}

export function sendPage(reply: FastifyReply, { status = 200, title, body }: Page): FastifyReply {
  const { html: text } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ html: STYLE }}</style></head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
  return reply.code(status).headers(HEADERS).send(text);
}

/** For an address that was cut, changed, or is of something that is gone. */
export function sendUnknown(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 404,
    title: 'This address leads nowhere',
    body: html`<p>It may have been cut short on its way. Open it from the mail again, or copy all of it.</p>`,
  });
}

/** What addresses in previews and tests lead to. */
export function sendSample(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    title: 'This is a sample',
    body: html`<p>In the mails of a campaign, everybody has an address of their own here. This one changes nothing.</p>`,
  });
}
