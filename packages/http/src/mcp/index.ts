/** What a stdio bundle needs, and nothing else: no Fastify, no database, no HTTP client. */
export { discoverOperations } from '../discover.ts';
export { checkOperationInput, validationFailure } from '../invoke.ts';
export { type Log, silentLog } from '../log.ts';
export { keepHeapSmall } from './heap.ts';
export { type RestRequest, restRequest } from './rest-request.ts';
export { toolErrorBody, toolFailure, toolResult, toolSuccess } from './results.ts';
export { type McpServerOptions, mcpServer } from './server.ts';
export { stderrLog } from './stderr-log.ts';
export { type McpStdioOptions, runMcpStdio } from './stdio.ts';
export { type ToolListOptions, toolList } from './tools.ts';
