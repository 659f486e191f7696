import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

test('counters, gauges and histograms read as Prometheus wants them', async () => {
  const metrics = new Metrics();
  const count = metrics.counter('jobs_total', 'Jobs done.');
  count({ kind: 'a"b\\c\nd' });
  count({ kind: 'plain' }, 2);
  count({ kind: 'plain' });
  const time = metrics.histogram('job_seconds', 'Time of a job.', [0.1, 1]);
  for (const seconds of [0.05, 0.1, 0.5, 3]) time({}, seconds);
  metrics.gauge('queue_length', 'Jobs that wait.', async () => [{ value: 4 }]);
  expect(await metrics.render()).toBe(`# HELP jobs_total Jobs done.
# TYPE jobs_total counter
jobs_total{kind="a\\"b\\\\c\\nd"} 1
jobs_total{kind="plain"} 3
# HELP job_seconds Time of a job.
# TYPE job_seconds histogram
job_seconds_bucket{le="0.1"} 2
job_seconds_bucket{le="1"} 3
job_seconds_bucket{le="+Inf"} 4
job_seconds_sum 3.65
job_seconds_count 4
# HELP queue_length Jobs that wait.
# TYPE queue_length gauge
queue_length 4
`);
});

test('labels that never end do not eat the memory', async () => {
  const metrics = new Metrics();
  const count = metrics.counter('odd_total', 'Odd things.');
  for (let index = 0; index < 5_000; index += 1) count({ index: String(index) });
  expect((await metrics.render()).split('\n').length).toBeLessThan(2_100);
});
