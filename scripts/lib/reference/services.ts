import { API_PREFIX, campaignsOpenApi, campaignsOperations } from '../../../packages/campaigns/src/index.ts';
import { type OpenApiDocument, openApiDocument, problemDialect } from '../../../packages/http/src/index.ts';
import { inboxDialect, inboxOpenApi, inboxOperations } from '../../../packages/inbox/src/index.ts';
import { localChatOperations } from '../../../packages/local-chat/src/index.ts';
import { consoleOperations } from '../../../packages/postern/src/console/api.ts';
import { version } from '../../../packages/postern/src/version.ts';
import type { ReferenceOperation, ReferenceService } from './service.ts';

/** The services there are. */

/** Where the default listener is; a running hub serves its own documents with its own address. */
const SERVER = 'http://127.0.0.1:8080';

const problem = problemDialect({ publicUrl: () => SERVER });
const PROBLEMS = 'errors.md';

export const services: readonly ReferenceService[] = [
  {
    name: 'campaigns',
    title: 'Campaigns',
    prefix: API_PREFIX,
    dialect: problem,
    errorsPage: PROBLEMS,
    operations: campaignsOperations,
    document: campaignsOpenApi(SERVER, problem),
    hasExamples: true,
    beforeTools: ['unauthorized', 'rate_limited', 'too_large'],
  },
  {
    name: 'inbox',
    title: 'Inbox',
    prefix: '',
    dialect: inboxDialect,
    errorsPage: 'inbox/errors.md',
    operations: inboxOperations,
    document: inboxOpenApi(SERVER),
    hasExamples: true,
    beforeTools: [],
  },
  operatorService('local-chat', 'Local chat', '/local/api', localChatOperations),
  operatorService('console', 'Console', '/console/api', consoleOperations),
];

/** A service of the operator: no tools, and no examples. */
function operatorService(
  name: string,
  title: string,
  prefix: string,
  operations: readonly ReferenceOperation[],
): ReferenceService {
  const document: OpenApiDocument = openApiDocument<ReferenceOperation>({
    title: `Postern ${title.toLowerCase()}`,
    version,
    description: `The API of the ${title.toLowerCase()}, for the operator.`,
    serverUrl: SERVER + prefix,
    operations,
    dialect: problem,
    bearerDescription: 'An admin key.',
    isOpen: ({ rights }) => rights === 'anyone',
  });
  return {
    ...{ name, title, prefix, operations, document },
    dialect: problem,
    errorsPage: PROBLEMS,
    hasExamples: false,
    beforeTools: [],
  };
}
