import { commonFailure, type ErrorCatalogue, type ErrorDialect } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import { escapeHtml, sendPlainPage } from './plain-page.ts';

/** `/errors/<code>`: what each error means and what to do, for whoever follows a problem's `type`. No auth. */
export function mountErrorPages(
  app: FastifyInstance,
  catalogues: readonly ErrorCatalogue[],
  dialect: ErrorDialect,
): void {
  const all: ErrorCatalogue = Object.assign({}, ...catalogues);
  const codes = Object.keys(all);

  app.get('/errors', (_request, reply) => {
    const items = codes.map(
      (code) => `<dt><a href="/errors/${code}"><code>${code}</code></a></dt>${meaningOf(all, code)}`,
    );
    return sendPlainPage(reply, 200, 'Errors', `<dl>${items.join('')}</dl>`);
  });

  app.get<{ Params: { code: string } }>('/errors/:code', (request, reply) => {
    const { code } = request.params;
    if (!codes.includes(code)) throw commonFailure(dialect, 'not_found', 'No error has this code.');
    return sendPlainPage(
      reply,
      200,
      code,
      `<dl>${meaningOf(all, code)}</dl><p><a href="/errors">All errors</a></p>`,
    );
  });
}

function meaningOf(catalogue: ErrorCatalogue, code: string): string {
  const definition = catalogue[code];
  return definition === undefined
    ? ''
    : `<dd>Status ${definition.status}. ${escapeHtml(definition.summary)}</dd>`;
}
