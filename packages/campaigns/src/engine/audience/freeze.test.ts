import { describeEngines } from '@postern/store/testing';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type CampaignsBench, campaignsBench } from '../../testing/bench.ts';
import { countsOf, ledgerOf, makeCampaign, makeSuppression, tally } from '../testing/campaigns.ts';
import type { Audience } from './audience.ts';
import { countAudience } from './count.ts';
import { freezeAudience } from './freeze.ts';

const never = () => new AbortController().signal;

describeEngines('freezing an audience', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const audience = (listIds: string[], more: Partial<Audience> = {}): Audience => ({
      projectId: project.project_id,
      listIds,
      segment: null,
      untilUs: bench.clock.nowMicroseconds(),
      ...more,
    });
    return { ...bench, project, audience };
  }

  test('writes a row for everybody, with the reason for those who are left out', async () => {
    const { ports, project, audience, makeList, makeSubscriber } = await start();
    const list = await makeList(project.project_id);
    for (const status of ['subscribed', 'unsubscribed', 'unconfirmed', 'bounced', 'complained'] as const) {
      await makeSubscriber(list, { email: `${status}@example.org`, status });
    }
    await makeSubscriber(list, { email: null, status: 'erased' });
    await makeSubscriber(list, { email: 'blocked@example.org' });
    await makeSuppression(ports, project.project_id, 'blocked@example.org');
    const { campaign_id } = await makeCampaign(ports, project.project_id, [list.list_id]);
    expect(await freezeAudience(ports, campaign_id, audience([list.list_id]), never())).toBe(true);
    const ledger = await ledgerOf(ports, campaign_id);
    expect(Object.fromEntries([...ledger].map(([key, row]) => [key, [row.state, row.reason]]))).toEqual({
      'subscribed@example.org': ['pending', null],
      'unsubscribed@example.org': ['skipped', 'unsubscribed'],
      'unconfirmed@example.org': ['skipped', 'unconfirmed'],
      'bounced@example.org': ['skipped', 'bounced'],
      'complained@example.org': ['skipped', 'complained'],
      'blocked@example.org': ['skipped', 'suppressed'],
    });
    expect(await countsOf(ports, campaign_id)).toEqual({ pending: 1, skipped: 5 });
    const { frozen_us } = await ports.store.db
      .selectFrom('mail_campaigns')
      .select('frozen_us')
      .where('campaign_id', '=', campaign_id)
      .executeTakeFirstOrThrow();
    expect(frozen_us).not.toBeNull();
  });

  test('takes the first list of a person, and passes over one where nothing was ever confirmed', async () => {
    const { ports, project, audience, makeList, makeSubscriber } = await start();
    const [one, two] = [await makeList(project.project_id), await makeList(project.project_id)];
    const both = async (email: string, first: 'subscribed' | 'unsubscribed' | 'unconfirmed') => [
      (await makeSubscriber(one, { email, status: first })).subscriber_id,
      (await makeSubscriber(two, { email })).subscriber_id,
    ];
    const [twice] = await both('twice@example.org', 'subscribed');
    const [left] = await both('left@example.org', 'unsubscribed');
    const [, waiting] = await both('waiting@example.org', 'unconfirmed');
    const { campaign_id } = await makeCampaign(ports, project.project_id, []);
    await freezeAudience(ports, campaign_id, audience([one.list_id, two.list_id]), never());
    const ledger = await ledgerOf(ports, campaign_id);
    expect([...ledger.values()].map((row) => [row.subscriber_id, row.state]).sort()).toEqual(
      [
        [twice, 'pending'],
        [left, 'skipped'],
        [waiting, 'pending'],
      ].sort(),
    );
  });

  test('leaves out who joined after the launch, and whom the segment does not match', async () => {
    const { ports, clock, project, audience, makeList, makeSubscriber } = await start();
    const list = await makeList(project.project_id);
    await makeSubscriber(list, { email: 'ana@example.org', name: 'Ana' });
    await makeSubscriber(list, { email: 'bo@example.org', name: 'Bo' });
    const launched = audience([list.list_id], { segment: sql`name = 'Ana'` });
    clock.advance(1_000);
    await makeSubscriber(list, { email: 'late@example.org', name: 'Ana' });
    const { campaign_id } = await makeCampaign(ports, project.project_id, []);
    await freezeAudience(ports, campaign_id, launched, never());
    expect([...(await ledgerOf(ports, campaign_id)).keys()]).toEqual(['ana@example.org']);
  });

  const statuses = ['subscribed', 'unsubscribed', 'unconfirmed', 'bounced'] as const;
  const people = fc.array(
    fc.record({
      name: fc.nat(12),
      list: fc.nat(2),
      status: fc.constantFrom(...statuses),
      suppressed: fc.boolean(),
    }),
    { maxLength: 40 },
  );

  test('gives each address once, by the model, however often it is stopped, and as the count says', async () => {
    const { ports, project, audience, makeList, makeSubscriber } = await start();
    await fc.assert(
      fc.asyncProperty(
        people,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async (wanted, stops, batch) => {
          const lists = [];
          for (let index = 0; index < 3; index += 1) lists.push(await makeList(project.project_id));
          const run = ports.newId('run');
          const model = await populate({ ports, makeSubscriber }, project.project_id, lists, run, wanted);
          const whole = audience(lists.map((list) => list.list_id));
          const counted = await countAudience(ports, whole, never(), batch);
          const { campaign_id } = await makeCampaign(ports, project.project_id, whole.listIds);
          for (let stop = 0; stop < stops; stop += 1) {
            await freezeAudience(ports, campaign_id, whole, stopsAfter(stop), batch);
          }
          await freezeAudience(ports, campaign_id, whole, never(), batch);
          const ledger = await ledgerOf(ports, campaign_id);
          expect(new Map([...ledger].map(([key, row]) => [key, row.reason ?? row.state]))).toEqual(model);
          expect(await countsOf(ports, campaign_id)).toEqual(tally(ledger.values()));
          const left = [...model.values()].filter((outcome) => outcome !== 'pending');
          expect(counted.recipients).toBe(model.size - left.length);
          expect(Object.values(counted.leftOut).reduce((sum, total) => sum + total, 0)).toBe(left.length);
        },
      ),
      { numRuns: engine === 'sqlite' ? 30 : 12 },
    );
  });
});

/** A signal that is aborted when it has been looked at so often. */
function stopsAfter(looks: number): AbortSignal {
  let seen = 0;
  return new Proxy(new AbortController().signal, {
    get: (_signal, name) => (name === 'aborted' ? seen++ >= looks : undefined),
  });
}

interface Wanted {
  readonly name: number;
  readonly list: number;
  readonly status: 'subscribed' | 'unsubscribed' | 'unconfirmed' | 'bounced';
  readonly suppressed: boolean;
}

/** Makes the people, and says what should become of each. */
async function populate(
  { ports, makeSubscriber }: Pick<CampaignsBench, 'ports' | 'makeSubscriber'>,
  projectId: string,
  lists: readonly { project_id: string; list_id: string }[],
  run: string,
  wanted: readonly Wanted[],
): Promise<Map<string, string>> {
  const byPerson = new Map<string, Map<number, Wanted>>();
  for (const one of wanted) {
    const key = `p${one.name}.${run.toLowerCase()}@example.org`;
    const rows = byPerson.get(key) ?? new Map<number, Wanted>();
    if (rows.has(one.list)) continue;
    byPerson.set(key, rows.set(one.list, one));
    await makeSubscriber(lists[one.list]!, { email: key, status: one.status });
  }
  const model = new Map<string, string>();
  for (const [key, rows] of byPerson) {
    const inOrder = [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
    const isSuppressed = inOrder.some((row) => row.suppressed);
    if (isSuppressed) await makeSuppression(ports, projectId, key);
    const speaker = inOrder.find((row) => row.status !== 'unconfirmed') ?? inOrder[0]!;
    const refused = speaker.status === 'subscribed' ? (isSuppressed ? 'suppressed' : null) : speaker.status;
    model.set(key, refused ?? 'pending');
  }
  return model;
}
