import { systemClock } from '@postern/kit';
import { connectStore } from '../src/connect.ts';
import { withLease } from '../src/leases.ts';

/** Program: takes a lease of the database it is given, says so, and keeps it. */
const [url, name]: [string, string] = JSON.parse(process.argv[2] ?? '');
const store = await connectStore({ url, clock: systemClock });
await withLease({ store, name, signal: new AbortController().signal }, async (signal) => {
  console.log('held');
  await systemClock.sleep(60_000, signal);
});
