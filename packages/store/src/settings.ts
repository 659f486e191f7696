import type { Store } from './store.ts';
import type { StoreTables } from './tables.ts';

/**
 * A value that is made once and then stays, such as a signing key. When several processes make it at the
 * same time, all get the one that was kept.
 */
export async function getOrCreateSetting(
  store: Store<StoreTables>,
  key: string,
  make: () => string,
): Promise<string> {
  const query = store.db.selectFrom('settings').select('value').where('key', '=', key);
  const known = await query.executeTakeFirst();
  if (known) return known.value;
  await store.db
    .insertInto('settings')
    .values({ key, value: make() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await query.executeTakeFirstOrThrow()).value;
}
