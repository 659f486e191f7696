import { checkInput } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { allScopes } from '../context.ts';
import type { ListTable } from '../tables.ts';
import { type CampaignsBench, campaignsBench } from '../testing/index.ts';
import { type Condition, conditionSchema } from './condition.ts';
import { countTask } from './count.ts';
import { segmentCondition } from './sql/compile.ts';
import { CAMPAIGN, conditions, momentTexts, NOW_US, somebody } from './testing/arbitraries.ts';
import { matches, momentOf, type Somebody } from './testing/evaluate.ts';

/** What they do is bounded by count; a busy machine takes its time over it. */
const PATIENCE_MS = 300_000;

/** Writes somebody down, with their mails and what they did. */
async function write(
  { ports, makeSubscriber }: CampaignsBench,
  list: ListTable,
  who: Somebody,
  index: number,
) {
  const { db } = ports.store;
  const { subscriber_id } = await makeSubscriber(list, {
    subscriber_id: `sub_${String(index).padStart(26, '0')}`,
    email: who.emailKey,
    email_key: `${index}.${who.emailKey}`,
    name: who.name,
    status: who.status as 'subscribed',
    created_us: who.createdUs,
    attributes_json: JSON.stringify(who.attributes),
  });
  const [sentUs = null] = who.happened[`${CAMPAIGN}.sent`] ?? [];
  await db
    .insertInto('mail_deliveries')
    .values({
      delivery_id: ports.newId('dlv'),
      project_id: list.project_id,
      campaign_id: CAMPAIGN,
      email_key: `${index}.${who.emailKey}`,
      subscriber_id,
      list_id: list.list_id,
      email: who.emailKey,
      state: sentUs === null ? 'failed' : 'sent',
      reason: null,
      attempts: 1,
      due_us: 1,
      lease_until_us: null,
      claimed_by: null,
      smtp_reply: null,
      message_id: null,
      sent_us: sentUs,
      updated_us: 1,
    })
    .execute();
  for (const [path, moments] of Object.entries(who.happened)) {
    const event = path.slice(path.indexOf('.') + 1);
    if (event === 'sent') continue;
    for (const at_us of moments) {
      await db
        .insertInto('mail_events')
        .values({
          event_id: ports.newId('evt'),
          project_id: list.project_id,
          campaign_id: CAMPAIGN,
          subscriber_id,
          type: event,
          details_json: '{}',
          at_us,
        })
        .execute();
    }
  }
  return subscriber_id;
}

describeEngines('the SQL of a segment', (engine) => {
  async function matched(
    { ports }: CampaignsBench,
    list: ListTable,
    condition: Condition,
  ): Promise<string[]> {
    const rows = await ports.store.db
      .selectFrom('mail_subscribers')
      .select('subscriber_id')
      .where('list_id', '=', list.list_id)
      .where(segmentCondition(engine, condition, NOW_US))
      .orderBy('subscriber_id')
      .execute();
    return rows.map((row) => row.subscriber_id);
  }

  test(
    'matches those whom the condition means, whatever is in the rows',
    async () => {
      const bench = await campaignsBench(engine);
      const { project_id } = await bench.makeProject();
      const list = await bench.makeList(project_id);
      const people = fc.sample(somebody, { numRuns: 150, seed: 7 });
      const ids: string[] = [];
      // Addresses have to differ; what is compared is the part behind the number.
      const numbered = people.map((who, index) => ({ ...who, emailKey: `${index}.${who.emailKey}` }));
      for (const [index, who] of people.entries()) ids.push(await write(bench, list, who, index));
      await fc.assert(
        fc.asyncProperty(conditions, async (condition) => {
          expect(checkInput(conditionSchema, condition)).toMatchObject({ ok: true });
          const meant = numbered.flatMap((who, index) =>
            matches(condition, who, NOW_US) ? [ids[index]] : [],
          );
          expect(await matched(bench, list, condition)).toEqual(meant);
        }),
        { numRuns: 400 },
      );
    },
    PATIENCE_MS,
  );

  test(
    'reads dates in attributes alike, and fails on none',
    async () => {
      const bench = await campaignsBench(engine);
      const { project_id } = await bench.makeProject();
      const list = await bench.makeList(project_id);
      const texts = [...new Set(fc.sample(momentTexts, { numRuns: 600, seed: 3 }))];
      const written = texts.map((text, index) => ({
        subscriber_id: `sub_${String(index).padStart(26, '0')}`,
        attributes_json: JSON.stringify({ at: text }),
      }));
      for (const [index, row] of written.entries())
        await bench.makeSubscriber(list, { ...row, email: `${index}@example.org` });
      for (const bound of [
        '2026-12-31',
        '2024-02-29T12:30:00Z',
        '2026-02-28T23:59:59Z',
        '0004-12-31T23:59:00Z',
      ]) {
        const boundUs = momentOf(bound)!;
        const after = texts.flatMap((text, index) =>
          (momentOf(text) ?? Number.NEGATIVE_INFINITY) > boundUs ? [written[index]!.subscriber_id] : [],
        );
        const before = texts.flatMap((text, index) =>
          (momentOf(text) ?? Number.POSITIVE_INFINITY) < boundUs ? [written[index]!.subscriber_id] : [],
        );
        expect(await matched(bench, list, { field: 'attributes.at', op: 'after', value: bound })).toEqual(
          after,
        );
        expect(await matched(bench, list, { field: 'attributes.at', op: 'before', value: bound })).toEqual(
          before,
        );
      }
    },
    PATIENCE_MS,
  );
});

describeEngines('segments', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, allScopes);
    const list = await bench.makeList(project.project_id);
    const count = async (body: object) => (await key.rest('POST /segments/count', body)).body.count;
    return { ...bench, project, http, key, list, count };
  }
  const vip = { field: 'attributes.vip', op: 'eq', value: true } as const;

  test('are kept, changed, listed and deleted', async () => {
    const { key, project } = await start();
    const made = await key.rest('POST /segments', { name: 'VIPs', condition: vip });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^seg_/),
      project_id: project.project_id,
      name: 'VIPs',
      condition: vip,
      created_at: '2026-05-01T00:00:00.000Z',
      updated_at: '2026-05-01T00:00:00.000Z',
    });
    const path = `/segments/${made.body.id}`;
    expect((await key.rest(`GET ${path}`)).body).toEqual(made.body);
    expect((await key.rest(`PATCH ${path}`, { name: 'Very important' })).body).toMatchObject({
      name: 'Very important',
      condition: vip,
    });
    const not = { not: vip };
    expect((await key.rest(`PATCH ${path}`, { condition: not })).body).toMatchObject({ condition: not });
    expect((await key.rest('GET /segments')).body.data).toMatchObject([{ id: made.body.id, condition: not }]);
    expect(await key.rest(`DELETE ${path}`)).toMatchObject({ status: 204, body: null });
    expect((await key.rest(`GET ${path}`)).status).toBe(404);
    expect((await key.rest(`DELETE ${path}`)).status).toBe(404);
  });

  test('are not deleted while a campaign has its audience still to come', async () => {
    const { key, project, makeCampaign } = await start();
    const { body } = await key.rest('POST /segments', { name: 'VIPs', condition: vip });
    const campaign = await makeCampaign(project.project_id, { segment_id: body.id, state: 'scheduled' });
    const refused = await key.rest(`DELETE /segments/${body.id}`);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'precondition_failed', errors: [{ field: 'segment_id', code: 'in_use' }] },
    });
    expect(refused.body.detail).toContain(campaign.campaign_id);
  });

  test('count who matches, on all lists or some, without the erased and deleted lists', async () => {
    const { key, project, list, makeList, makeSubscriber, count } = await start();
    const other = await makeList(project.project_id);
    const gone = await makeList(project.project_id, { deleted_us: 1 });
    const attributes_json = '{"vip":true}';
    for (const on of [list, list, other, gone]) await makeSubscriber(on, { attributes_json });
    await makeSubscriber(list, { attributes_json, status: 'unsubscribed' });
    await makeSubscriber(list, { attributes_json, status: 'erased', email: null });
    await makeSubscriber(list);
    expect(await count({ condition: vip })).toBe(4);
    expect(await count({ condition: vip, list_ids: [list.list_id] })).toBe(3);
    const active = { all: [vip, { field: 'status', op: 'eq', value: 'subscribed' }] };
    expect(await count({ condition: active, list_ids: [list.list_id] })).toBe(2);
    const { body } = await key.rest('POST /segments', { name: 'VIPs', condition: active });
    expect(await count({ segment_id: body.id })).toBe(3);
  });

  test('are refused with all their faults at once', async () => {
    const { key, makeProject, makeCampaign, list } = await start();
    const elsewhere = await makeCampaign((await makeProject()).project_id);
    const opened = { field: `campaigns.${elsewhere.campaign_id}.opened`, op: 'eq', value: true };
    const errors = async (line: string, body: object) => {
      const answer = await key.rest(line, body);
      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
      return answer.body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
    };
    expect(
      await errors('POST /segments', {
        name: '',
        condition: {
          all: [
            { field: 'colour', op: 'eq', value: 1 },
            { any: [{ not: { field: 'created_at', op: 'before', value: 'soon' } }] },
            { field: 'attributes.n', op: 'within_days', value: 1.5 },
            { field: 'attributes.n', op: 'in', value: [] },
          ],
        },
      }),
    ).toEqual([
      'name too_short',
      'condition.all.0.field not_allowed',
      'condition.all.1.any.0.not.value invalid_format',
      'condition.all.2.value out_of_range',
      'condition.all.3.value too_short',
    ]);
    expect(await errors('POST /segments', { name: 'x', condition: { any: [vip, opened] } })).toEqual([
      'condition.any.1.field not_allowed',
    ]);
    expect(await errors('POST /segments/count', { condition: opened })).toEqual([
      'condition.field not_allowed',
    ]);
    expect(await errors('POST /segments/count', {})).toEqual(['condition required']);
    expect(
      await errors('POST /segments/count', { condition: vip, segment_id: `seg_${'0'.repeat(26)}` }),
    ).toEqual(['segment_id not_allowed', 'segment_id not_allowed']);
    const unknown = `lst_${'0'.repeat(26)}`;
    expect(
      await errors('POST /segments/count', { condition: vip, list_ids: [list.list_id, unknown] }),
    ).toEqual(['list_ids.1 not_allowed']);
    let deep: object = vip;
    for (let level = 0; level < 8; level += 1) deep = { not: deep };
    expect(await errors('POST /segments', { name: 'x', condition: deep })).toEqual([
      'condition invalid_format',
    ]);
    const wide = { any: Array.from({ length: 201 }, () => vip) };
    expect(await errors('POST /segments', { name: 'x', condition: wide })).toEqual(['condition too_many']);
    expect(
      await errors('POST /segments/count', { segment_id: `seg_${'0'.repeat(26)}`, list_ids: [] }),
    ).toEqual(['list_ids too_short', 'segment_id not_allowed']);
    expect(await errors('POST /segments', { name: '', condition: opened })).toEqual([
      'name too_short',
      'condition.field not_allowed',
    ]);
  });

  test('are counted in stretches, and not to the end when nobody waits any more', async () => {
    const { ports, list, project, makeSubscriber } = await start();
    for (let index = 0; index < 3; index += 1) await makeSubscriber(list);
    const counting = {
      projectId: project.project_id,
      listIds: [list.list_id],
      condition: { field: 'email', op: 'exists' },
      nowUs: 0,
    } as const;
    expect(await countTask.run(ports, counting, new AbortController().signal)).toBe(3);
    await expect(countTask.run(ports, counting, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    );
  });
});
