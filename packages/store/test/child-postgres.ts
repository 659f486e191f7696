import { privatePostgres } from '../src/testing/private-postgres.ts';

/** Program: starts a server of its own, tells where, and stays. */
const server = await privatePostgres();
console.log(server.base);
setInterval(() => undefined, 60_000);
