import { useQuery } from '@tanstack/react-query';
import type { MailList } from '../api/campaigns.ts';
import { Plot } from './plot.tsx';
import { useProject } from './project.tsx';
import { campaignsKey } from './queries.ts';

const DAY = 86_400_000;
const WEEKS = 12;

/** How a list grew: who is on it now, by when they came. Asks for one count a week. */
export function Growth({ list }: { readonly list: MailList }) {
  const { api, project } = useProject();
  const growth = useQuery({
    queryKey: [campaignsKey, project.id, 'growth', list.id],
    async queryFn() {
      const now = Date.now();
      const times = Array.from({ length: WEEKS + 1 }, (_, week) => now - (WEEKS - week) * 7 * DAY);
      const counts: number[] = [];
      for (const time of times) {
        const { count } = await api.segments.count({
          list_ids: [list.id],
          condition: { field: 'created_at', op: 'before', value: new Date(time).toISOString() },
        });
        counts.push(count);
      }
      return { times, counts };
    },
    retry: false,
    staleTime: 60_000,
  });
  if (growth.data === undefined) {
    return (
      <section className="panel" aria-label="Growth">
        <h2>Growth</h2>
        <p className="section-none">
          {growth.isError ? 'It could not be counted just now.' : 'Counting week by week…'}
        </p>
      </section>
    );
  }
  const { times, counts } = growth.data;
  const gained = (counts.at(-1) ?? 0) - (counts[0] ?? 0);
  return (
    <section className="panel" aria-label="Growth">
      <Plot
        title={`Growth, ${gained.toLocaleString()} in ${WEEKS} weeks`}
        times={times}
        series={[{ name: 'people', kind: 'sent', values: counts }]}
      />
    </section>
  );
}
