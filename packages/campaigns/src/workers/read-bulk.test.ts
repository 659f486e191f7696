import { expect, test } from 'vitest';
import { campaignsOperations } from '../operations/index.ts';
import { bulkOperations } from './read-bulk.ts';

test('threads know every operation with a bulk field', () => {
  const declared = campaignsOperations.filter(({ http }) => http.bulk !== undefined);
  expect(bulkOperations.map(({ name }) => name)).toEqual(declared.map(({ name }) => name));
});
