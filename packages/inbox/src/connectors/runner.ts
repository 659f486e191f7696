import { withLease } from '@postern/store';
import { createSink, type OnStranger } from '../messages/sink.ts';
import type { InboxPorts } from '../ports.ts';
import type { Connector, ConnectorHealth } from './connector.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Keeps one connector running for as long as the process does. With several processes on one database a
 * lease lets one of them run it; the others stand by. A connector that fails is started again from its
 * stored cursor, with pauses that double up to a minute.
 */
export function runConnector(
  ports: InboxPorts,
  connector: Connector,
  onStranger: OnStranger,
  signal: AbortSignal,
): { readonly done: Promise<void>; health(): ConnectorHealth } {
  const { store, clock, log } = ports;
  const sink = createSink(ports, connector, onStranger);
  let own: ConnectorHealth | null = { status: 'standby', detail: 'waiting for its lease' };

  async function cursor(): Promise<string | null> {
    const row = await store.db
      .selectFrom('inbox_cursors')
      .select('cursor')
      .where('source', '=', connector.source)
      .where('account', '=', connector.account)
      .executeTakeFirst();
    return row?.cursor ?? null;
  }

  async function runWhileHeld(held: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!held.aborted) {
      const startedUs = clock.nowMicroseconds();
      try {
        own = null;
        await connector.run(await cursor(), sink, held);
        if (held.aborted) return;
      } catch (error) {
        if (held.aborted) return;
        own = { status: 'down', detail: 'stopped by an error; it is started again by itself' };
        log.error({ err: error, source: connector.source }, 'a connector stopped');
      }
      // One that ran for a while has earned a quick restart.
      if (clock.nowMicroseconds() - startedUs > LONGEST_PAUSE_MS * 1_000) pause = FIRST_PAUSE_MS;
      await clock.sleep(pause, held);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  async function standByAndRun(): Promise<void> {
    while (!signal.aborted) {
      own = { status: 'standby', detail: 'another process runs it' };
      try {
        await withLease(
          { store, name: `inbox:${connector.source}:${connector.account}`, signal },
          runWhileHeld,
        );
      } catch (error) {
        log.error({ err: error, source: connector.source }, 'the lease of a connector failed');
        await clock.sleep(LONGEST_PAUSE_MS, signal);
      }
    }
    own = { status: 'down', detail: 'stopped' };
  }

  const done = standByAndRun();
  return { done, health: () => own ?? connector.health() };
}
