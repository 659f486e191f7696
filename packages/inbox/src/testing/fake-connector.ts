import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Connector, ConnectorSink, OutboundPart } from '../connectors/connector.ts';
import { SendError, type SendErrorKind } from '../connectors/connector.ts';

/**
 * What the next sends of a {@link FakeConnector} do: `hang` waits for its signal, `deaf` never answers, and `lost`
 * delivers without answering.
 */
export type SendOrder = 'deliver' | SendErrorKind | 'hang' | 'deaf' | 'lost';

/** A platform in memory that does as it is told. */
export interface FakeConnector extends Connector {
  /** The parts that reached the platform, in order. */
  readonly delivered: OutboundPart[];
  /** Contents of the files that came with them, in order. */
  readonly files: { name: string; mime: string; text: string }[];
  /** How often it was asked to send, whatever came of it. */
  readonly calls: number;
  /** Orders for the next sends, first one first; without one a send is delivered. */
  readonly orders: SendOrder[];
  /** Resolves with the sink once the connector runs. */
  readonly running: Promise<{ sink: ConnectorSink; cursor: string | null }>;
}

export function fakeConnector(overrides: Partial<Connector> = {}): FakeConnector {
  const delivered: OutboundPart[] = [];
  const files: FakeConnector['files'] = [];
  let calls = 0;
  const orders: SendOrder[] = [];
  const running = Promise.withResolvers<{ sink: ConnectorSink; cursor: string | null }>();
  const connector: FakeConnector = {
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
      await aborted(signal);
    },
    async send(part, signal) {
      calls += 1;
      const order = orders.shift() ?? 'deliver';
      if (order === 'deaf') return new Promise<never>(() => undefined);
      if (order === 'hang') {
        await aborted(signal);
        throw new SendError('unknown', 'no answer');
      }
      if (order !== 'deliver' && order !== 'lost') throw new SendError(order, `the platform said ${order}`);
      for (const file of part.attachments) {
        files.push({ name: file.name, mime: file.mime, text: await text(Readable.from(await file.open())) });
      }
      delivered.push(part);
      if (order === 'lost') return new Promise<never>(() => undefined);
      return {
        platformId: `sent-${delivered.length}`,
        timestampMs: 1_700_000_000_000 + delivered.length,
        raw: {},
      };
    },
    health: () => ({ status: 'ok' }),
    delivered,
    files,
    get calls() {
      return calls;
    },
    orders,
    running: running.promise,
  };
  return Object.defineProperties(connector, Object.getOwnPropertyDescriptors(overrides));
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
