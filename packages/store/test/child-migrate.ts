import { systemClock } from '@postern/kit';
import { connectStore } from '../src/connect.ts';
import { migrate } from '../src/migrate.ts';
import { storeMigrations } from '../src/migrations.ts';
import type { Place } from '../src/testing/index.ts';

/** Program: migrates the database it is given and says which migrations ran here. */
const place: Place = JSON.parse(process.argv[2] ?? '');
const store = await connectStore({ ...place, clock: systemClock });
console.log(JSON.stringify(await migrate(store, storeMigrations)));
await store.close();
