import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { SERVER_VARIABLE } from './global-setup.ts';
import { type PrivatePostgres, privatePostgres } from './private-postgres.ts';

/** The PostgreSQL server of the test run, and the databases in it. */
export interface TestServer {
  /** `postgres://…` without a database's name, ending in a slash. */
  readonly base: string;
  /** Makes a database, empty or as a copy of another, and gives its name. */
  create(template?: string): Promise<string>;
  /** Drops it, whoever is still connected. */
  drop(name: string): Promise<void>;
  /**
   * The name of a database to copy. The first of the run's processes that asks for it makes it; it stays
   * until the server ends.
   *
   * @param fill given the URL of an empty database; leaves no connection to it open.
   */
  template(key: string, fill: (url: string) => Promise<void>): Promise<string>;
}

/** Any number will do, as long as every process takes the same. */
const TEMPLATE_LOCK = 6_204_117_858;

let ownServer: Promise<PrivatePostgres> | undefined;

/**
 * The run's server, or, where the runner has none set up, one of this test file alone.
 *
 * @param whenFileIsOver told how to end the file's own one.
 */
export async function testServer(
  whenFileIsOver: (cleanup: () => Promise<void>) => void,
): Promise<TestServer> {
  const shared = process.env[SERVER_VARIABLE];
  if (shared !== undefined) return serverAt(shared);
  if (!ownServer) {
    ownServer = privatePostgres();
    whenFileIsOver(async () => (await ownServer)?.close());
  }
  return serverAt((await ownServer).base);
}

function serverAt(base: string): TestServer {
  return {
    base,
    async create(template = 'template1') {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await asAdministrator(base, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
      return name;
    },
    async drop(name) {
      await asAdministrator(base, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
    async template(key, fill) {
      const name = `template_${key}`;
      await asAdministrator(base, async (client) => {
        await client.query(`SELECT pg_advisory_lock(${TEMPLATE_LOCK})`);
        const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
        if (rowCount) return;
        // Named only when whole: another process must not copy the half of one that failed.
        const draft = `draft_${randomBytes(6).toString('hex')}`;
        await client.query(`CREATE DATABASE ${draft}`);
        await fill(base + draft);
        await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
      });
      return name;
    },
  };
}

/** Locks that the work takes are given back with its connection. */
async function asAdministrator(base: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: `${base}postgres` });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
