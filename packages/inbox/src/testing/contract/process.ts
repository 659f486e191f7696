import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseTime, systemClock } from '@postern/kit';
import { onTestFinished } from 'vitest';
import type { Connector, ConnectorSink, InboundEvent } from '../../connectors/connector.ts';
import type { Envelope } from '../../envelope.ts';
import { createInbox, type RunningInbox } from '../../inbox.ts';
import type { InboxPorts } from '../../ports.ts';
import { type InboxBench, inboxBench } from '../bench.ts';
import type { ConnectorHarness } from '../connector-harness.ts';

const AGENT = 'agent';
const LOOK_MILLISECONDS = 10;

/** What the sink does with the next batch that holds events, instead of storing it and saying so. */
export type SinkOrder =
  /** Nothing is stored: the process died before the commit. */
  | 'die-before'
  /** All is stored, and the connector does not hear of it: the process died after the commit. */
  | 'die-after';

/** An inbox with one connector, on a database that outlives it: a process that can end and come again. */
export interface ContractProcess {
  readonly inbox: RunningInbox;
  readonly connector: Connector;
  /** Orders for the next batches that hold events, first one first. */
  readonly sinkOrders: SinkOrder[];
  /** Every event that was stored, and handed over twice where it was. */
  readonly handedOver: InboundEvent[];
  /** Messages of the allowed people, oldest received first; what was deleted is not among them. */
  received(): Promise<Envelope[]>;
  texts(): Promise<string[]>;
  /** Resolves with what was received once the look is pleased; the test's own time is the limit. */
  until(isSeen: (messages: readonly Envelope[]) => boolean): Promise<Envelope[]>;
  untilHealth(isIt: (status: string) => boolean): Promise<{ status: string; detail?: string }>;
  /** Sends as an agent does. @throws Failure */
  send(
    channelId: string,
    text: string,
    options?: { replyTo?: string; paths?: readonly string[]; key?: string },
  ): Promise<string>;
  /** What the hub keeps of an attachment. */
  bytesOf(attachmentId: string): Promise<Buffer>;
  /** The cursor as it is stored. */
  cursor(): Promise<string | null>;
  stop(): Promise<void>;
}

type Platform = Pick<ConnectorHarness, 'connect' | 'ana' | 'ben'>;

/** The database and files of a test, on which processes come and go. */
export interface ContractHome {
  start(): Promise<ContractProcess>;
  readonly bench: InboxBench;
}

export async function contractHome(
  harness: Platform,
  allowedDirs: readonly string[] = [],
): Promise<ContractHome> {
  const bench = await inboxBench('sqlite', {
    config: {
      rateLimit: { perSecond: 1_000, burst: 1_000 },
      attachments: { maxBytes: 1_048_576, allowedDirs: [...allowedDirs] },
    },
  });
  // Connectors have real sockets and files to wait for.
  const ports: InboxPorts = { ...bench.ports, clock: systemClock };
  return { bench, start: () => startProcess(harness, ports) };
}

async function startProcess(harness: Platform, ports: InboxPorts): Promise<ContractProcess> {
  const connector = harness.connect();
  const sinkOrders: SinkOrder[] = [];
  const handedOver: InboundEvent[] = [];
  const inbox = createInbox(ports, [withMortalSink(connector, sinkOrders, handedOver)]);
  for (const { id } of [harness.ana, harness.ben]) {
    await inbox.allow({ source: connector.source, senderId: id, release: false, actor: 'test' });
  }
  inbox.start();
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= inbox.stop();
    return stopping;
  };
  onTestFinished(stop);
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const look = async <Seen>(at: () => Promise<Seen>, isEnough: (seen: Seen) => boolean): Promise<Seen> => {
    for (;;) {
      const seen = await at();
      if (isEnough(seen) || isOver) return seen;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
  };
  const received = async () => {
    const filter = { agentId: AGENT, sinceMicroseconds: null, source: null, channelId: null, limit: 100 };
    const messages: Envelope[] = [];
    let sinceMicroseconds: number | null = null;
    for (;;) {
      const page = await inbox.listUnread({ ...filter, sinceMicroseconds }, 0, AbortSignal.abort());
      messages.push(...page.messages);
      if (page.messages.length < filter.limit || page.next_since === null) return messages;
      sinceMicroseconds = parseTime(page.next_since);
    }
  };
  return {
    inbox,
    connector,
    sinkOrders,
    handedOver,
    received,
    texts: async () => (await received()).map(({ text }) => text),
    until: (isSeen) => look(received, isSeen),
    untilHealth: (isIt) =>
      look(
        async () => inbox.health()[0] ?? { status: 'none' },
        ({ status }) => isIt(status),
      ),
    async send(channelId, text, { replyTo, paths = [], key } = {}) {
      const { answer } = await inbox.send(
        {
          channel_id: channelId,
          text,
          ...(replyTo === undefined ? {} : { reply_to: replyTo }),
          attachments: paths.map((path) => ({ path })),
        },
        { kind: 'bearer', credential: 'bearer', agentId: AGENT },
        key ?? null,
        new AbortController().signal,
      );
      return answer.message_id;
    },
    async bytesOf(attachmentId) {
      const { body } = await inbox.attachment(attachmentId, { quarantined: false, range: undefined });
      return body instanceof Readable ? buffer(body) : Buffer.from(body as Uint8Array);
    },
    async cursor() {
      const row = await ports.store.db.selectFrom('inbox_cursors').select('cursor').executeTakeFirst();
      return row?.cursor ?? null;
    },
    stop,
  };
}

/** The same connector with a sink that dies as it is told. */
function withMortalSink(connector: Connector, orders: SinkOrder[], handedOver: InboundEvent[]): Connector {
  const run: Connector['run'] = (cursor, sink, signal) => {
    const mortal: ConnectorSink = {
      ...sink,
      async accept(events, ...rest) {
        const order = events.length > 0 ? orders.shift() : undefined;
        if (order === 'die-before') throw new Error('the process died before the commit');
        await sink.accept(events, ...rest);
        handedOver.push(...events);
        if (order === 'die-after') throw new Error('the process died after the commit');
      },
    };
    return connector.run(cursor, mortal, signal);
  };
  return Object.create(connector, { run: { value: run } }) as Connector;
}
