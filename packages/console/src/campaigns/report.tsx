import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Campaign, deliveryStates, type Report, type TimelinePoint } from '../api/campaigns.ts';
import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icons.tsx';
import { Loaded, LoadMore } from '../ui/section.tsx';
import { Select } from '../ui/select.tsx';
import { Time } from '../ui/time.tsx';
import { Plot } from './plot.tsx';
import { running, withGaps } from './plot-scale.ts';
import { doneShare, ProgressBar } from './progress.tsx';
import { useProject } from './project.tsx';
import { deliveriesQuery, reportQuery } from './queries.ts';
import { DeliveryBadge, reasonText } from './words.tsx';

/** What became of a campaign: live while it runs. */
export function ReportView({ campaign }: { readonly campaign: Campaign }) {
  const room = useProject();
  const report = useQuery(reportQuery(room, campaign));
  return (
    <Loaded query={report} what="the report">
      {(data) => (
        <>
          <StateNotice report={data} />
          {data.counts.audience > 0 && (
            <>
              <section className="panel" aria-label="Progress">
                <h2>{headOf(data)}</h2>
                <ProgressBar counts={data.counts} />
              </section>
              <Figures report={data} campaign={campaign} />
              <Timeline report={data} tracking={campaign.tracking} />
              <div className="panels">
                <Reasons report={data} />
                <Links report={data} />
              </div>
            </>
          )}
          {campaign.state !== 'scheduled' && <Deliveries campaign={campaign} />}
        </>
      )}
    </Loaded>
  );
}

function StateNotice({ report }: { readonly report: Report }) {
  if (report.missed_send_time) {
    return (
      <Notice>
        <strong>It missed its time.</strong> Nothing could send it then, so it is not sent by itself. Set a
        new time and launch it again.
      </Notice>
    );
  }
  const { state, state_reason: reason } = report;
  if (reason === null || reason === 'requested' || (state !== 'paused' && state !== 'failed')) return null;
  return (
    <Notice>
      <strong>It {state === 'paused' ? 'paused by itself' : 'failed'}:</strong> {reasonText(reason)}.
    </Notice>
  );
}

function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div className="notice notice-warn" role="status">
      <Icon name="warning" />
      <p>{children}</p>
    </div>
  );
}

function Figures({ report, campaign }: { readonly report: Report; readonly campaign: Campaign }) {
  const { counts, bounces, complaints, unsubscribes } = report;
  const figures = [
    ['Sent', counts.sent, null],
    tracked('Opens', report.opens, campaign.tracking.opens),
    tracked('Clicks', report.clicks, campaign.tracking.clicks),
    [
      'Bounces',
      bounces.hard + bounces.soft,
      bounces.hard > 0 ? `${bounces.hard.toLocaleString()} hard` : null,
    ],
    ['Complaints', complaints, null],
    ['Unsubscribes', unsubscribes, null],
  ] as const;
  return (
    <dl className="figures figures-wrap">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value?.toLocaleString() ?? '–'}</dd>
          {note !== null && <dd className="figure-note">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** A cancelled campaign is over, and yet not done. */
function headOf({ state, counts }: Report): string {
  const audience = counts.audience.toLocaleString();
  return state === 'cancelled'
    ? `Sent to ${counts.sent.toLocaleString()} of ${audience} before it was cancelled`
    : `${Math.floor(100 * doneShare(counts))} % of ${audience} done`;
}

/** A zero would say that nobody did, where nobody counted. */
function tracked(
  name: string,
  { total, people }: Report['opens'],
  mode: Campaign['tracking']['opens'],
): readonly [string, number | null, string | null] {
  if (mode === 'off') return [name, null, 'not tracked'];
  return [name, total, people > 0 ? peopleText(people) : null];
}

function peopleText(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'person' : 'people'}`;
}

type Line = 'sent' | 'deferred' | 'failed' | 'opens' | 'clicks';
type Point = { readonly at: number } & Pick<TimelinePoint, Line | 'failures'>;

/** More classes than these run into each other; the list of reasons has them all. */
const MOST_CLASSES = 4;

function Timeline({
  report,
  tracking,
}: {
  readonly report: Report;
  readonly tracking: Campaign['tracking'];
}) {
  const { step_seconds: step, points } = report.timeline;
  if (points.length === 0) return null;
  const empty = (at: number): Point => ({
    at,
    sent: 0,
    deferred: 0,
    failed: 0,
    failures: [],
    opens: 0,
    clicks: 0,
  });
  const steps = points.map((point) => ({ ...point, at: Date.parse(point.at) }));
  // It began with nothing; so even what was over within one step is a line.
  const start = empty((steps[0]?.at ?? 0) - step * 1_000);
  const all = withGaps<Point>([start, ...steps], step * 1_000, empty);
  const times = all.map(({ at }) => at);
  const line = (name: Line) => ({ name, kind: name, values: running(all.map((point) => point[name])) });
  const readers = (['opens', 'clicks'] as const).filter((name) => tracking[name] !== 'off');
  const classes = report.reasons.filter(({ state }) => state === 'failed').slice(0, MOST_CLASSES);
  const ofClass = (reason: string, index: number) => ({
    name: reasonText(reason),
    kind: `class-${index + 1}`,
    values: running(all.map((point) => point.failures.find((one) => one.reason === reason)?.total ?? 0)),
  });
  return (
    <div className="panels">
      <section className="panel">
        <Plot
          title="Mails, all in all"
          times={times}
          series={[
            line('sent'),
            ...(points.some(({ deferred }) => deferred > 0) ? [line('deferred')] : []),
            line('failed'),
          ]}
        />
      </section>
      {classes.length > 0 && (
        <section className="panel">
          <Plot
            title="Failed, by class"
            times={times}
            series={classes.map(({ reason }, index) => ofClass(reason, index))}
          />
        </section>
      )}
      <section className="panel">
        {readers.length > 0 ? (
          <Plot title="Readers, all in all" times={times} series={readers.map(line)} />
        ) : (
          <>
            <h2>Readers</h2>
            <p className="section-none">Neither opens nor clicks of this campaign are tracked.</p>
          </>
        )}
      </section>
    </div>
  );
}

function Reasons({ report }: { readonly report: Report }) {
  const largest = Math.max(1, ...report.reasons.map(({ total }) => total));
  return (
    <section className="panel" aria-label="Not delivered, by reason">
      <h2>Not delivered, by reason</h2>
      {report.reasons.length === 0 ? (
        <p className="section-none">Nobody was skipped, put off or refused.</p>
      ) : (
        <ul className="bars">
          {report.reasons.map(({ state, reason, total }) => (
            <li key={`${state} ${reason}`}>
              <span className="bar-name">
                <DeliveryBadge state={state} /> {reasonText(reason)}
              </span>
              <strong className="bar-value">{total.toLocaleString()}</strong>
              <span className="bar-track" aria-hidden="true">
                <span className={`bar-fill tone-${state}`} style={{ width: `${(100 * total) / largest}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Links({ report }: { readonly report: Report }) {
  const largest = Math.max(1, ...report.links.map(({ total }) => total));
  return (
    <section className="panel" aria-label="Links">
      <h2>Links</h2>
      {report.links.length === 0 ? (
        <p className="section-none">No clicks, or clicks are not tracked.</p>
      ) : (
        <ul className="bars">
          {report.links.map(({ url, total, people }) => (
            <li key={url ?? ''}>
              <span className="bar-name breakable">{url ?? 'links of people who were erased'}</span>
              <strong className="bar-value">
                {total.toLocaleString()}
                {people > 0 && <Badge>{peopleText(people)}</Badge>}
              </strong>
              <span className="bar-track" aria-hidden="true">
                <span className="bar-fill tone-clicks" style={{ width: `${(100 * total) / largest}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const stateOptions = [
  { value: '', label: 'Any state' },
  ...deliveryStates.map((state) => ({ value: state, label: state })),
];

function Deliveries({ campaign }: { readonly campaign: Campaign }) {
  const room = useProject();
  const [state, setState] = useState('');
  const deliveries = useInfiniteQuery(deliveriesQuery(room, campaign, state));
  return (
    <section aria-label="Deliveries" className="people">
      <div className="toolbar">
        <h2>Deliveries</h2>
        <Select bare label="State" value={state} options={stateOptions} onChange={setState} />
      </div>
      <Loaded query={deliveries} what="the deliveries" shape="list">
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.data);
          if (rows.length === 0) return <p className="section-none">None.</p>;
          return (
            <>
              <div className="table-frame">
                <table className="table">
                  <thead>
                    <tr>
                      <th scope="col">Address</th>
                      <th scope="col">State</th>
                      <th scope="col">Reason and answer</th>
                      <th scope="col" className="wide-only">
                        Sent
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.id}>
                        <th scope="row" className="breakable">
                          {row.email ?? 'erased'}
                        </th>
                        <td>
                          <DeliveryBadge state={row.state} />
                        </td>
                        <td>
                          <div className="reply">
                            {row.reason !== null && <span>{reasonText(row.reason)}</span>}
                            {row.smtp_reply !== null && <code>{row.smtp_reply}</code>}
                            {row.attempts > 1 && <span>{row.attempts} attempts</span>}
                          </div>
                        </td>
                        <td className="wide-only">
                          {row.sent_at === null ? '—' : <Time at={row.sent_at} as="list" />}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {deliveries.hasNextPage && (
                <LoadMore
                  busy={deliveries.isFetchingNextPage}
                  onLoad={() => void deliveries.fetchNextPage()}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
