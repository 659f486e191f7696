import type { Store } from '@postern/store';
import type { Status } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { HubTables } from './state.ts';

export interface ServiceMetricsInputs {
  readonly store: Store<HubTables>;
  connectors(): readonly { readonly source: string; readonly status: Status }[];
}

/**
 * What the services have to do and have done. Only what is cheap however long the history: kept counters, and
 * rows that partial indexes hold.
 */
export function registerServiceMetrics(metrics: Metrics, { store, connectors }: ServiceMetricsInputs): void {
  metrics.gauge('postern_connector_up', 'Whether a connector works (1), or waits, starts or fails (0).', () =>
    connectors().map(({ source, status }) => ({
      labels: { connector: source },
      value: status === 'ok' ? 1 : 0,
    })),
  );
  metrics.gauge('postern_outbox_waiting', 'Jobs that wait for their turn.', async () => {
    const rows = await store.db
      .selectFrom('outbox')
      .select(({ fn }) => ['topic', fn.countAll<number>().as('count')])
      .where('state', '=', 'pending')
      .groupBy('topic')
      .execute();
    return rows.map(({ topic, count }) => ({ labels: { topic }, value: count }));
  });
  metrics.gauge(
    'postern_inbox_messages_total',
    'Messages stored, in both directions.',
    async () => {
      const rows = await store.db
        .selectFrom('inbox_channels')
        .select(({ fn }) => ['source', fn.sum<number>('message_count').as('count')])
        .groupBy('source')
        .execute();
      return rows.map(({ source, count }) => ({ labels: { source }, value: Number(count) }));
    },
    'counter',
  );
}
