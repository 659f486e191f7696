export {
  type BenchOptions,
  freshFolder,
  type InboxBench,
  inboundFile,
  inboxBench,
  messageEvent,
} from './bench.ts';
export { describeConnector } from './connector-contract.ts';
export type {
  ConnectorFaults,
  ConnectorHarness,
  ConnectorTraits,
  HarnessFile,
  HarnessPerson,
  SentMessage,
} from './connector-harness.ts';
export { aborted, type FakeConnector, fakeConnector, type SendOrder } from './fake-connector.ts';
export { type HeldCommit, heldCommit, untilBlockedOrDone } from './held-commit.ts';
export { ADMIN_KEY, BEARER, type InboxHub, inboxHub } from './hub.ts';
export { inputFor } from './inputs.ts';
export { MemoryLog } from './memory-log.ts';
