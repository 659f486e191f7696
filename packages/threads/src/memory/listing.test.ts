import { expect, test } from 'vitest';
import type { MemoryEntry } from './entry.ts';
import { listed } from './listing.ts';

const entry: MemoryEntry = {
  id: 'mem_1',
  place: { platformId: 'slack', channelId: 'C1' },
  index: 1,
  position: 0,
  source: 'user',
  text: 'we deploy on Tuesdays',
  author: { id: 'U000000001', name: 'Olga' },
  sessionId: null,
  createdMs: Date.UTC(2026, 0, 2),
  editedMs: null,
};

test('says of each entry where it comes from, by name and by id', () => {
  expect(listed([entry, { ...entry, index: 2, source: 'distilled' }])).toBe(
    [
      '- **1.** `we deploy on Tuesdays` (user, `Olga`, id `U000000001`, 2026-01-02)',
      '- **2.** `we deploy on Tuesdays` (distilled, for `Olga`, id `U000000001`, 2026-01-02)',
    ].join('\n'),
  );
});

test('says once what is name and id at the same time', () => {
  expect(listed([{ ...entry, author: { id: 'olga', name: 'olga' } }])).toContain(
    '(user, `olga`, 2026-01-02)',
  );
});

test('lets no name end the code it stands in', () => {
  expect(listed([{ ...entry, author: { id: 'm', name: '`@channel`' } }])).toContain(
    '(user, `` `@channel` ``, id `m`,',
  );
});
