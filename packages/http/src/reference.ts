import type { ErrorDialect } from '@postern/kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { docsPage } from './docs-page.ts';
import type { OpenApiDocument } from './openapi.ts';

/** The pages that tell about an API: its OpenAPI document, and the same for people. */

export interface ReferenceOptions {
  /** Path under which `/openapi.json` and `/docs` are; '' for the root. */
  readonly prefix: string;
  readonly dialect: ErrorDialect;
  /** Made anew for each request, since the public URL may be known only when the server listens. */
  document(): OpenApiDocument;
  /** Throws a {@link Failure} when the caller may not read; absent, everybody may. */
  authenticate?(request: FastifyRequest): unknown;
  /** Whether to mount the page for people beside the document; it is unless said. */
  readonly page?: boolean;
}

export function mountReference(app: FastifyInstance, options: ReferenceOptions): void {
  const { prefix, dialect, document, page = true } = options;
  const route = {
    config: { dialect },
    onRequest: async (request: FastifyRequest) => {
      await options.authenticate?.(request);
    },
  };
  app.get(`${prefix}/openapi.json`, route, (_request, reply) =>
    reply
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
      .send(JSON.stringify(document())),
  );
  if (!page) return;
  app.get(`${prefix}/docs`, route, (_request, reply) => {
    const { html, headers } = docsPage(document());
    return reply.headers(headers).send(html);
  });
}
