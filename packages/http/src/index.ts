export { isPublicAddress } from './addresses.ts';
export * from './auth.ts';
export { type DocsPage, docsPage } from './docs-page.ts';
export * from './hosts.ts';
export { type BulkInput, readBulk, type SentBulk } from './input.ts';
export {
  type Call,
  type Outcome,
  type RunOptions,
  runOperation,
  type Surface,
  type ToolViolations,
} from './invoke.ts';
export { type McpHttpOptions, mountMcp } from './mcp/http.ts';
export * from './mcp/index.ts';
export * from './openapi.ts';
export * from './problem.ts';
export { mountReference, type ReferenceOptions } from './reference.ts';
export { type MountOptions, mountOperations } from './routes.ts';
export * from './safe-fetch.ts';
export { sendFailure, sendOutcome } from './send.ts';
export { closingSignal, createServer, dialectByPrefix, pathOf, type ServerOptions } from './server.ts';
export { fieldCodes, preconditionCodes } from './violation-codes.ts';
export * from './webhooks/deliver.ts';
export * from './webhooks/sign.ts';
