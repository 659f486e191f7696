import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { FastifyInstance } from 'fastify';
import { version } from '../version.ts';
import type { Metrics } from './metrics.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
/** Seconds; from a hit in memory to a call that waits for a platform. */
const DURATION_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What Node can say about this process. Answers how to stop watching. */
export function registerProcessMetrics(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay();
  delay.enable();
  const one = (value: number) => [{ value }];
  metrics.gauge('postern_build_info', 'Version that runs; always 1.', () => [
    { labels: { version, node: process.versions.node }, value: 1 },
  ]);
  metrics.gauge(
    'process_cpu_seconds_total',
    'Processor time used, in seconds.',
    () => {
      const { user, system } = process.cpuUsage();
      return one((user + system) / MICROSECONDS);
    },
    'counter',
  );
  metrics.gauge('process_resident_memory_bytes', 'Memory in use, in bytes.', () =>
    one(process.memoryUsage.rss()),
  );
  metrics.gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () =>
    one(performance.timeOrigin / 1_000),
  );
  metrics.gauge('nodejs_heap_used_bytes', 'JavaScript heap in use, in bytes.', () =>
    one(process.memoryUsage().heapUsed),
  );
  metrics.gauge(
    'nodejs_eventloop_delay_seconds',
    'Delay of the event loop since the last reading, in seconds.',
    () => {
      const values = [0.5, 0.99, 1].map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: (quantile === 1 ? delay.max : delay.percentile(quantile * 100)) / NANOSECONDS,
      }));
      delay.reset();
      return values;
    },
  );
  return () => delay.disable();
}

/** Requests by method, route and status. The route is the pattern, so that no address gets into a label. */
export function registerHttpMetrics(metrics: Metrics, app: FastifyInstance): void {
  const count = metrics.counter('postern_http_requests_total', 'Requests answered.');
  const duration = metrics.histogram(
    'postern_http_request_seconds',
    'Time to the end of the answer, in seconds.',
    DURATION_BOUNDS,
  );
  let running = 0;
  metrics.gauge('postern_http_requests_running', 'Requests that are being answered.', () => [
    { value: running },
  ]);
  app.addHook('onRequest', async (_request, reply) => {
    running += 1;
    reply.raw.once('close', () => {
      running -= 1;
    });
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    count({ method: request.method, route, status: String(reply.statusCode) });
    duration({ method: request.method, route }, reply.elapsedTime / 1_000);
  });
}
