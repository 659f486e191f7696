import { type OpenApiDocument, openApiDocument } from '@postern/http';
import type { ErrorDialect } from '@postern/kit';
import { withKeys } from './idempotency/keyed.ts';
import { type CampaignsOperation, campaignsOperations } from './operations/index.ts';
import { API_VERSION } from './server-info.ts';

/** Path under which the REST routes hang. */
export const API_PREFIX = '/api/v1';

/** The campaigns' REST API as an OpenAPI 3.1 document, made from the operations. */
export function campaignsOpenApi(publicUrl: string, dialect: ErrorDialect): OpenApiDocument {
  return openApiDocument<CampaignsOperation>({
    title: 'Postern campaigns',
    version: API_VERSION,
    description:
      'Projects, lists, subscribers, sending domains and e-mail campaigns. Start with whoami; every operation is ' +
      'also an MCP tool of the same name at /mcp. What cannot be undone has a dry run.',
    serverUrl: publicUrl + API_PREFIX,
    operations: withKeys(campaignsOperations),
    dialect,
    bearerDescription: 'An admin key, or an API key of a project with the scopes the operation needs.',
  });
}
