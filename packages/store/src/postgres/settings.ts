import pg from 'pg';
import type { StoreLimits } from '../store.ts';

/** Types that do not fit JavaScript's own: counts, times in microseconds and their sums stay below 2^53. */
const NUMBERS: ReadonlySet<number> = new Set([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: pg.CustomTypesConfig = {
  // Overloaded by format in pg's types; only the text format is asked for here.
  getTypeParser: ((id: number, format?: 'text' | 'binary') =>
    NUMBERS.has(id) ? Number : pg.types.getTypeParser(id, format as 'text')) as typeof pg.types.getTypeParser,
};

/** What every connection of a store shares. */
export function connectionSettings(url: string, limits: StoreLimits): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'postern',
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: limits.waitMs,
  };
}
