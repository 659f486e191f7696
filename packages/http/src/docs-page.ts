import { createHash } from 'node:crypto';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './openapi.ts';

/** An OpenAPI document as one page of HTML that loads nothing and runs nothing. */

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce2, #343a43); --soft: light-dark(#f5f6f8, #1c2026);
  --text: light-dark(#1b1f24, #e4e7eb); --dim: light-dark(#59626e, #98a2ae); --link: light-dark(#0a58ca, #7cb0ff); }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; color: var(--text);
  background: light-dark(#fff, #14171b); font: 1rem/1.55 system-ui, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.6rem; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem; }
h3 { margin: 0; font-size: 1rem; } p { margin: .5rem 0; } a { color: var(--link); }
code, pre { font: .875em/1.5 ui-monospace, monospace; } pre { margin: .5rem 0; padding: .75rem; overflow: auto;
  background: var(--soft); border-radius: .375rem; }
article { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; } caption { text-align: start; font-weight: 600;
  padding: .75rem 0 .25rem; } th, td { padding: .35rem .75rem .35rem 0; text-align: start; vertical-align: top;
  border-top: 1px solid var(--line); } th { font-weight: 500; white-space: nowrap; } td { white-space: pre-line; }
.dim { color: var(--dim); } ul { padding-inline-start: 1.25rem; } summary { cursor: pointer; padding-top: .5rem; }
`;

export interface DocsPage {
  readonly html: string;
  /** Header fields to send with it; the policy lets nothing be loaded but the page's own style. */
  readonly headers: Readonly<Record<string, string>>;
}

export function docsPage(document: OpenApiDocument): DocsPage {
  const { info, servers, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return { name, own };
  });
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title><style>${STYLE}</style></head><body>
<header><h1>${escapeHtml(info.title)}</h1><p class="dim">Version ${escapeHtml(info.version)} · <code>${escapeHtml(servers[0]?.url ?? '')}</code></p>
<p>${escapeHtml(info.description)}</p>
<p>Send <code>Authorization: Bearer …</code>. ${escapeHtml(String(components.securitySchemes.bearer?.description ?? ''))}</p></header>
<nav aria-label="Operations">${sections.map(({ name, own }) => `<h2>${escapeHtml(name)}</h2><ul>${own.map(entry).join('')}</ul>`).join('')}</nav>
<main>${sections.map(({ name, own }) => `<section><h2>${escapeHtml(name)}</h2>${own.map(article).join('')}</section>`).join('')}
<section><h2>Schemas</h2>${Object.entries(components.schemas).map(schemaBlock).join('')}</section></main>
</body></html>
`;
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return {
    html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-cache',
    },
  };
}

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function entry({ path, method, operation }: Entry): string {
  return `<li><a href="#${escapeHtml(operation.operationId)}"><code>${method} ${escapeHtml(path)}</code></a> ${escapeHtml(operation.summary)}</li>`;
}

function article({ path, method, operation }: Entry): string {
  const [call, needs, returns] = operation.description.split(/(?<=\.) (?=Needs |Returns )/);
  const lines = [call, needs, returns]
    .filter((line) => line !== undefined)
    .map((line) => `<p>${escapeHtml(line)}</p>`);
  const body = operation.requestBody?.content['application/json'];
  return `<article id="${escapeHtml(operation.operationId)}"><h3><code>${method} ${escapeHtml(path)}</code></h3>
<p class="dim">Operation and tool name: <code>${escapeHtml(operation.operationId)}</code></p>${lines.join('')}
${operation.parameters.length > 0 ? table('Parameters', operation.parameters.map(parameterRow)) : ''}
${body ? details('Body', body.schema) : ''}
${table(
  'Answers',
  Object.entries(operation.responses).map(([status, response]) => [status, '', response.description]),
)}
${Object.entries(operation.responses)
  .flatMap(([status, response]) => answerBlock(status, response.content?.['application/json']))
  .join('')}</article>`;
}

function answerBlock(status: string, media: { readonly schema: object } | undefined): string[] {
  return status.startsWith('2') && media !== undefined ? [details(`Body of ${status}`, media.schema)] : [];
}

function parameterRow({
  name,
  in: place,
  required,
  description,
  schema,
}: OpenApiParameter): [string, string, string] {
  return [
    name,
    `${place}${required ? ', required' : ''}`,
    [description, JSON.stringify(schema)].filter(Boolean).join('\n'),
  ];
}

function table(caption: string, rows: readonly (readonly [string, string, string])[]): string {
  const cells = rows.map(
    ([name, kind, text]) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td class="dim">${escapeHtml(kind)}</td><td>${escapeHtml(text)}</td></tr>`,
  );
  return `<table><caption>${caption}</caption><tbody>${cells.join('')}</tbody></table>`;
}

function schemaBlock([name, schema]: [string, object]): string {
  return `<article id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></article>`;
}

function details(title: string, schema: object): string {
  return `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
