import { privatePostgres } from './private-postgres.ts';

/** Names the server for the tests' processes, which inherit the environment. */
export const SERVER_VARIABLE = 'POSTERN_TEST_POSTGRES';

/** One PostgreSQL for a whole test run; each store in it gets a database of its own. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await privatePostgres();
  process.env[SERVER_VARIABLE] = server.base;
  return () => server.close();
}
