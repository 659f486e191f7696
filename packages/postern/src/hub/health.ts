import type { ErrorDialect } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import type { AdminGate } from './admin.ts';
import type { Metrics } from './metrics.ts';

export type Status = 'ok' | 'starting' | 'standby' | 'degraded' | 'down' | 'stopping' | 'off';

/** What `/readyz` says about one service; sentences for the operator, no secrets. */
export interface ServiceStatus {
  readonly status: Status;
  readonly detail?: string;
  readonly connectors?: Readonly<Record<string, { readonly status: Status; readonly detail?: string }>>;
}

export interface Readiness {
  /** Whether requests can be served; a platform that is away does not change it. */
  readonly ready: boolean;
  readonly services: Readonly<Record<string, ServiceStatus>>;
}

export interface HealthOptions {
  readonly dialect: ErrorDialect;
  readonly gate: AdminGate;
  readonly metrics: Metrics;
  readiness(): Promise<Readiness>;
}

/** `/healthz` and `/readyz` for everyone, `/metrics` for the operator. */
export function mountHealth(
  app: FastifyInstance,
  { dialect, gate, metrics, readiness }: HealthOptions,
): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });

  app.get('/readyz', async (_request, reply) => {
    const { ready, services } = await readiness();
    reply.code(ready ? 200 : 503).header('cache-control', 'no-store');
    return { status: ready ? 'ready' : 'not_ready', services };
  });

  app.get('/metrics', async (request, reply) => {
    await gate.require(request, dialect);
    reply
      .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      .header('cache-control', 'no-store');
    return metrics.render();
  });
}
