export { freshFolder, type InboxBench, inboxBench, messageEvent } from './bench.ts';
export { type FakeConnector, fakeConnector, type SendOrder } from './fake-connector.ts';
