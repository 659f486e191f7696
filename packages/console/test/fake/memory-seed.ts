import type { FakeMemoryState } from './memory.ts';
import { ago } from './seed.ts';

const HOUR = 3_600_000;

const of = { platform_id: 'office', channel_id: 'C042', edited_at: null };

export function seedMemory(state: FakeMemoryState): void {
  state.channels = [
    { platform_id: 'office', channel_id: 'C042', is_on: true },
    { platform_id: 'lab', channel_id: 'q8f1', is_on: false },
  ];
  state.entries = [
    {
      ...of,
      id: 'mem_00000000000000000000000A01',
      source: 'user',
      author: { id: 'U017', name: 'olga' },
      session_id: null,
      text: 'We deploy the shop on Tuesdays and Thursdays, never on a Friday.',
      created_at: ago(900 * HOUR).toISOString(),
    },
    {
      ...of,
      id: 'mem_00000000000000000000000A02',
      source: 'agent',
      author: { id: 'U021', name: 'alan' },
      session_id: 'ses_00000000000000000000000002',
      text: 'Totals are rounded per line, then summed; see services/checkout/src/totals/rounding-of-line-items.ts.',
      created_at: ago(30 * HOUR).toISOString(),
    },
    {
      ...of,
      id: 'mem_00000000000000000000000A03',
      source: 'distilled',
      author: { id: 'U017', name: 'olga' },
      session_id: 'ses_00000000000000000000000002',
      text: 'The staging database is rebuilt every night at two.',
      created_at: ago(2 * HOUR).toISOString(),
    },
  ];
}
