import type { Connector, ConnectorSink, OutboundPart } from '../connectors/connector.ts';
import { SendError, type SendErrorKind } from '../connectors/connector.ts';

/** What the next sends of a {@link FakeConnector} do. */
export type SendOrder = 'deliver' | SendErrorKind | 'hang';

/** A platform in memory that does as it is told. */
export interface FakeConnector extends Connector {
  /** The parts that reached the platform, in order. */
  readonly delivered: OutboundPart[];
  /** Orders for the next sends, first one first; without one a send is delivered. */
  readonly orders: SendOrder[];
  /** Resolves with the sink once the connector runs. */
  readonly running: Promise<{ sink: ConnectorSink; cursor: string | null }>;
}

export function fakeConnector(overrides: Partial<Connector> = {}): FakeConnector {
  const delivered: OutboundPart[] = [];
  const orders: SendOrder[] = [];
  const running = Promise.withResolvers<{ sink: ConnectorSink; cursor: string | null }>();
  return {
    source: 'local',
    account: 'fake',
    self: { id: 'postern', displayName: 'Postern' },
    capabilities: {
      text: { limit: 100, unit: 'utf16' },
      attachments: { maxCount: 3, maxBytes: 1_000 },
      typing: false,
      replies: true,
    },
    async run(cursor, sink, signal) {
      running.resolve({ sink, cursor });
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    async send(part, signal) {
      const order = orders.shift() ?? 'deliver';
      if (order === 'hang') {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        throw new SendError('unknown', 'no answer');
      }
      if (order !== 'deliver') throw new SendError(order, `the platform said ${order}`);
      delivered.push(part);
      return {
        platformId: `sent-${delivered.length}`,
        timestampMs: 1_700_000_000_000 + delivered.length,
        raw: {},
      };
    },
    health: () => ({ status: 'ok' }),
    delivered,
    orders,
    running: running.promise,
    ...overrides,
  };
}
