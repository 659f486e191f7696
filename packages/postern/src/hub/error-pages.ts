import { commonFailure, type ErrorCatalogue, type ErrorDialect } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import { escapeHtml, sendPlainPage } from './plain-page.ts';

export interface ErrorPages {
  readonly catalogues: readonly ErrorCatalogue[];
  /** Codes that stand in `errors` of a code's answers, with their meanings. */
  readonly inside: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dialect: ErrorDialect;
}

/** `/errors/<code>`: what each error means and what to do, for whoever follows a problem's `type`. No auth. */
export function mountErrorPages(app: FastifyInstance, { catalogues, inside, dialect }: ErrorPages): void {
  const all: ErrorCatalogue = Object.assign({}, ...catalogues);
  /** HTML by code. */
  const meanings = new Map<string, string>();
  for (const [code, { status, summary }] of Object.entries(all)) {
    meanings.set(code, `<dd>Status ${status}. ${escapeHtml(summary)}</dd>`);
  }
  for (const [around, codes] of Object.entries(inside)) {
    for (const [code, meaning] of Object.entries(codes)) {
      meanings.set(code, `<dd>In errors of ${linkTo(around)}. ${escapeHtml(meaning)}</dd>`);
    }
  }
  const list = (codes: Iterable<string>) =>
    `<dl>${[...codes].map((code) => `<dt>${linkTo(code)}</dt>${meanings.get(code)}`).join('')}</dl>`;

  app.get('/errors', (_request, reply) => sendPlainPage(reply, 200, 'Errors', list(meanings.keys())));

  app.get<{ Params: { code: string } }>('/errors/:code', (request, reply) => {
    const { code } = request.params;
    const meaning = meanings.get(code);
    if (meaning === undefined) throw commonFailure(dialect, 'not_found', 'No error has this code.');
    const within = Object.hasOwn(inside, code) ? Object.keys(inside[code] ?? {}) : [];
    const details = within.length === 0 ? '' : `<h2>Codes in its errors</h2>${list(within)}`;
    return sendPlainPage(
      reply,
      200,
      code,
      `<dl>${meaning}</dl>${details}<p><a href="/errors">All errors</a></p>`,
    );
  });
}

function linkTo(code: string): string {
  return `<a href="/errors/${code}"><code>${code}</code></a>`;
}
