import { systemClock } from '@postern/kit';
import { connectStore } from '../src/connect.ts';
import type { StoreTables } from '../src/tables.ts';
import type { Place } from '../src/testing/index.ts';

/** Program: commits one setting, writes another in a transaction that it leaves open, says so, and stays. */
const place: Place = JSON.parse(process.argv[2] ?? '');
const store = await connectStore<StoreTables>({ ...place, clock: systemClock });
await store.transaction(async (tx) => {
  await tx.insertInto('settings').values({ key: 'committed', value: 'yes' }).execute();
});
await store.transaction(async (tx) => {
  await tx.insertInto('settings').values({ key: 'open', value: 'no' }).execute();
  console.log('open');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
