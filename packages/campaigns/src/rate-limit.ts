import { problem } from '@postern/http';
import { takeTokens } from '@postern/store';
import type { FastifyReply } from 'fastify';
import type { Allowance, CampaignsCaller } from './context.ts';
import type { CampaignsPorts } from './ports.ts';

/**
 * The token bucket of each key (contract, section 1): it holds as many as its limit, and API and MCP share it.
 * With PostgreSQL the buckets are in the database, as several processes serve one key. With SQLite there is one
 * process and one writer, so they are in memory: a read must not have to wait for a write.
 */

/** Buckets kept in memory before the full ones among them are dropped. */
const MOST_BUCKETS = 10_000;

interface Taken {
  readonly ok: boolean;
  readonly remaining: number;
  readonly retryAfterSeconds: number;
}

export class RateLimit {
  readonly #ports: Pick<CampaignsPorts, 'store' | 'clock'>;
  /** When each bucket will be full again, in microseconds. */
  readonly #fullAt = new Map<string, number>();

  constructor(ports: Pick<CampaignsPorts, 'store' | 'clock'>) {
    this.#ports = ports;
  }

  /**
   * Counts a request and writes the header fields of draft-ietf-httpapi-ratelimit-headers.
   *
   * @param cost JSON-RPC messages of an MCP request; 1 over REST.
   * @throws Failure rate_limited with Retry-After.
   */
  async admit(caller: CampaignsCaller, reply: FastifyReply, cost: number): Promise<Allowance> {
    const limit = caller.ratePerMinute;
    if (limit === null) return UNCOUNTED;
    // A batch that is more than a bucket holds takes all of it; else it could never pass.
    const taken = await this.#take(`campaigns:${caller.keyId}`, limit, Math.min(Math.max(1, cost), limit));
    const resetSeconds = Math.ceil(((limit - taken.remaining) * 60) / limit);
    reply.header('ratelimit-policy', `"default";q=${limit};w=60`);
    reply.header(
      'ratelimit',
      `"default";r=${taken.remaining};t=${taken.ok ? resetSeconds : taken.retryAfterSeconds}`,
    );
    if (!taken.ok) {
      throw problem(
        'rate_limited',
        `This key may make ${limit} requests a minute; wait ${taken.retryAfterSeconds} s.`,
        {
          retryAfterSeconds: taken.retryAfterSeconds,
        },
      );
    }
    return { limit, remaining: taken.remaining, resetSeconds };
  }

  async #take(name: string, limit: number, cost: number): Promise<Taken> {
    if (this.#ports.store.engine === 'sqlite') return this.#takeHere(name, limit, cost);
    const taken = await takeTokens(this.#ports.store.db, { name, perSecond: limit / 60, burst: limit }, cost);
    return taken.ok
      ? { ok: true, remaining: taken.remaining, retryAfterSeconds: 0 }
      : { ok: false, remaining: 0, retryAfterSeconds: taken.retryAfterSeconds };
  }

  #takeHere(name: string, limit: number, cost: number): Taken {
    const now = this.#ports.clock.nowMicroseconds();
    const perToken = Math.ceil(60_000_000 / limit);
    const capacity = limit * perToken;
    const full = Math.min(Math.max(this.#fullAt.get(name) ?? now, now), now + capacity);
    const after = full + cost * perToken;
    if (after > now + capacity) {
      const retryAfterSeconds = Math.max(1, Math.ceil((after - now - capacity) / 1_000_000));
      return { ok: false, remaining: Math.floor((now + capacity - full) / perToken), retryAfterSeconds };
    }
    this.#fullAt.set(name, after);
    if (this.#fullAt.size > MOST_BUCKETS) this.#dropFull(now);
    return { ok: true, remaining: Math.floor((now + capacity - after) / perToken), retryAfterSeconds: 0 };
  }

  #dropFull(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name);
  }
}

/** Of callers whose requests are not counted. */
export const UNCOUNTED: Allowance = { limit: 0, remaining: 0, resetSeconds: 0 };
