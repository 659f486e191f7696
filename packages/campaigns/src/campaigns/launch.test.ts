import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { addToCampaignCounts } from '../counts.ts';
import { makeSuppression } from '../engine/testing/campaigns.ts';
import type { CampaignState, SubscriberStatus } from '../tables.ts';
import { type BenchOptions, campaignsBench } from '../testing/bench.ts';
import { eras } from '../testing/http-bench.ts';
import { cancelCampaign } from './hold.ts';
import { launchedContent } from './launched.ts';
import { campaignLife } from './lifecycle.ts';

const READY = {
  name: 'Spring',
  subject: 'Hello {{ subscriber.name }}',
  html: '<p>Hello</p><a href="{{ unsubscribe_url }}">Leave</a>',
};

describeEngines('launching', (engine) => {
  async function start(options: BenchOptions = {}) {
    const bench = await campaignsBench(engine, options);
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, [
      'campaigns:read',
      'campaigns:write',
      'campaigns:launch',
    ]);
    const make = async (fields: object = {}): Promise<string> =>
      (await key.rest('POST /campaigns', { ...READY, list_ids: [list.list_id], ...fields })).body.id;
    const row = (id: string) =>
      bench.ports.store.db
        .selectFrom('mail_campaigns')
        .selectAll()
        .where('campaign_id', '=', id)
        .executeTakeFirstOrThrow();
    const set = (id: string, state: CampaignState) =>
      bench.ports.store.db
        .updateTable('mail_campaigns')
        .set({ state })
        .where('campaign_id', '=', id)
        .execute();
    return { bench, project, list, key, make, row, set };
  }

  const errorsOf = ({ errors }: { errors: { field: string; code: string }[] }) =>
    errors.map(({ field, code }) => `${field} ${code}`);

  test('says whom it reaches and whom not, first without doing it, then the same with it', async () => {
    const { bench, project, list, key, make, row } = await start();
    for (const status of [
      'subscribed',
      'unsubscribed',
      'unsubscribed',
      'bounced',
      'unconfirmed',
    ] as SubscriberStatus[]) {
      await bench.makeSubscriber(list, { status });
    }
    await bench.makeSubscriber(list, { email: 'blocked@example.org' });
    await makeSuppression(bench.ports, project.project_id, 'blocked@example.org');
    const id = await make();
    const before = (await key.rest(`GET /campaigns/${id}`)).body;
    const numbers =
      /"Spring" to 1 recipient now; 5 left out: (?=.*2 unsubscribed)(?=.*1 bounced)(?=.*1 unconfirmed)(?=.*1 suppressed)/;
    const dry = await key.rest(`POST /campaigns/${id}/launch?dry_run=true`);
    expect(dry).toMatchObject({ status: 200, body: { outcome: 'would_launch', campaign: before } });
    expect(dry.body.effect).toMatch(numbers);
    for (const era of eras) {
      expect((await key.tool('launch_campaign', { campaign_id: id }, era)).structured).toEqual(dry.body);
    }
    expect((await row(id)).content_json).toBeNull();
    const done = await key.tool('launch_campaign', { campaign_id: id, confirm: true });
    expect(done.structured).toMatchObject({ outcome: 'launched', campaign: { id, state: 'running' } });
    expect(done.structured.effect).toBe(dry.body.effect.replace('Would launch', 'Launched'));
    expect(launchedContent(await row(id))).toMatchObject({
      from: { name: 'News', email: 'news@example.com' },
      lists: { [list.list_id]: 'List' },
    });
  });

  test('over REST does at once what it is asked', async () => {
    const { bench, list, key, make } = await start();
    await bench.makeSubscriber(list);
    const { body } = await key.rest(`POST /campaigns/${await make()}/launch`);
    expect(body).toMatchObject({
      outcome: 'launched',
      campaign: { state: 'running', launched_at: expect.any(String) },
    });
  });

  test('with a due time schedules, and any edit takes that back', async () => {
    const { bench, list, key, make, row } = await start();
    await bench.makeSubscriber(list);
    const id = await make({ send_at: '2100-01-01T00:00:00Z' });
    const { body } = await key.rest(`POST /campaigns/${id}/launch`);
    expect(body).toMatchObject({ outcome: 'launched', campaign: { state: 'scheduled', launched_at: null } });
    expect(body.effect).toContain('at 2100-01-01T00:00:00.000Z');
    expect((await key.rest(`PATCH /campaigns/${id}`, {})).body.state).toBe('scheduled');
    expect((await key.rest(`PATCH /campaigns/${id}`, { name: 'Other' })).body.state).toBe('draft');
    expect((await row(id)).content_json).toBeNull();
  });

  test('names everything that is missing', async () => {
    const { bench, key, make } = await start();
    await bench.makeProject();
    const id = await make({ list_ids: [], subject: ' ', html: null });
    const { body, status } = await key.rest(`POST /campaigns/${id}/launch`);
    expect(status).toBe(422);
    expect(body.code).toBe('precondition_failed');
    expect(errorsOf(body)).toEqual([
      'list_ids no_recipients',
      'from invalid_state',
      'subject template_error',
      'html template_error',
      'text unsubscribe_link_missing',
    ]);
    const dry = await key.tool('launch_campaign', { campaign_id: id });
    expect(dry.isError).toBe(true);
    expect(dry.structured).toEqual({ code: 'precondition_failed', detail: body.detail, errors: body.errors });
  });

  test.each([
    [{ html: '<p>no link</p>' }, 'html unsubscribe_link_missing'],
    [{ html: null, text: 'no link' }, 'text unsubscribe_link_missing'],
    [{ html: '{% if %}' }, 'html template_error'],
    [{ send_at: '2001-01-01' }, 'send_at missed_send_time'],
  ])('refuses %j', async (fields, error) => {
    const { bench, list, key, make } = await start();
    await bench.makeSubscriber(list);
    expect(errorsOf((await key.rest(`POST /campaigns/${await make(fields)}/launch`)).body)).toEqual([error]);
  });

  test('is for lists and people that are there', async () => {
    const { bench, project, list, key, make } = await start();
    const other = await bench.makeList(project.project_id);
    await bench.makeSubscriber(list, { status: 'unsubscribed' });
    const id = await make({ list_ids: [list.list_id, other.list_id] });
    expect(errorsOf((await key.rest(`POST /campaigns/${id}/launch`)).body)).toEqual([
      'list_ids no_recipients',
    ]);
    await bench.makeSubscriber(list);
    await bench.ports.store.db
      .updateTable('mail_lists')
      .set({ deleted_us: 1 })
      .where('list_id', '=', other.list_id)
      .execute();
    expect(errorsOf((await key.rest(`POST /campaigns/${id}/launch`)).body)).toEqual([
      'list_ids.1 invalid_state',
    ]);
  });

  test('reaches those of its segment, and is refused when that is gone', async () => {
    const { bench, project, list, key, make } = await start();
    for (const name of ['Ana', 'Bo', 'Cy']) await bench.makeSubscriber(list, { name });
    const now = bench.clock.nowMicroseconds();
    const segment_id = bench.ports.newId('seg');
    const condition_json = JSON.stringify({ field: 'name', op: 'in', value: ['Ana', 'Cy'] });
    const segment = { segment_id, project_id: project.project_id, name: 's', condition_json };
    await bench.ports.store.db
      .insertInto('mail_segments')
      .values({ ...segment, created_us: now, updated_us: now })
      .execute();
    const id = await make({ segment_id });
    const dry = await key.rest(`POST /campaigns/${id}/launch?dry_run=true`);
    expect(dry.body.effect).toBe('Would launch "Spring" to 2 recipients now; nobody is left out.');
    await bench.ports.store.db.deleteFrom('mail_segments').execute();
    expect(errorsOf((await key.rest(`POST /campaigns/${id}/launch`)).body)).toEqual([
      'segment_id invalid_state',
    ]);
  });

  test('takes subject and body from the template where the campaign has none', async () => {
    const { bench, project, list, key, make, row } = await start();
    await bench.makeSubscriber(list);
    const now = bench.clock.nowMicroseconds();
    const template = {
      template_id: bench.ports.newId('tpl'),
      project_id: project.project_id,
      name: 't',
      subject: 'From template',
      html: null,
      mjml: '<mjml><mj-body><mj-section><mj-column><mj-text>{{ unsubscribe_url }}</mj-text></mj-column></mj-section></mj-body></mjml>',
      text: 'T {{ unsubscribe_url }}',
      created_us: now,
      updated_us: now,
    };
    await bench.ports.store.db.insertInto('mail_templates').values(template).execute();
    const id = await make({ template_id: template.template_id, subject: null, html: null });
    expect((await key.rest(`POST /campaigns/${id}/launch`)).body.outcome).toBe('launched');
    expect(launchedContent(await row(id)).content).toMatchObject({
      subject: ['From template'],
      text: ['T ', { hole: expect.any(String) }],
    });
    const orphan = await make({ template_id: template.template_id });
    await bench.ports.store.db.deleteFrom('mail_templates').execute();
    expect(errorsOf((await key.rest(`POST /campaigns/${orphan}/launch`)).body)).toEqual([
      'template_id template_error',
    ]);
  });

  test('by SMTP asks for a verified domain and for https', async () => {
    const smtp = { smtp: [{ url: 'smtp://relay.example:25' }] };
    const { bench, project, list, key, make } = await start({ config: smtp });
    await bench.makeSubscriber(list);
    const id = await make();
    expect(errorsOf((await key.rest(`POST /campaigns/${id}/launch`)).body)).toEqual([
      'from domain_unverified',
      'public_url public_url_not_https',
    ]);
    const now = bench.clock.nowMicroseconds();
    const domain = {
      domain_id: bench.ports.newId('dom'),
      project_id: project.project_id,
      domain: 'example.com',
      state: 'verified' as const,
      dkim_selector: 's',
      dkim_private_sealed: '',
      dkim_public: '',
      records_json: '[]',
      verified_us: now,
      created_us: now,
      updated_us: now,
    };
    await bench.ports.store.db.insertInto('mail_domains').values(domain).execute();
    expect(errorsOf((await key.rest(`POST /campaigns/${id}/launch`)).body)).toEqual([
      'public_url public_url_not_https',
    ]);
  });

  test('over a relay on this machine needs no https, and verified domains only unless told', async () => {
    const local = { smtp: [{ url: 'smtp://127.0.0.1:2525' }] };
    const strict = await start({ config: local });
    await strict.bench.makeSubscriber(strict.list);
    const refused = await strict.key.rest(`POST /campaigns/${await strict.make()}/launch`);
    expect(errorsOf(refused.body)).toEqual(['from domain_unverified']);
    const trial = await start({ config: local, ports: { allowUnverifiedDomains: true } });
    await trial.bench.makeSubscriber(trial.list);
    expect((await trial.key.rest(`POST /campaigns/${await trial.make()}/launch`)).body.outcome).toBe(
      'launched',
    );
  });

  test('is paused, resumed and cancelled', async () => {
    const { bench, list, key, make } = await start();
    await bench.makeSubscriber(list);
    const id = await make();
    await key.rest(`POST /campaigns/${id}/launch`);
    await bench.ports.store.transaction((tx) =>
      addToCampaignCounts(tx, id, { pending: 3, claimed: 1, deferred: 2, sent: 7 }),
    );
    expect((await key.rest(`POST /campaigns/${id}/pause`)).body).toMatchObject({
      state: 'paused',
      counts: { audience: 13, pending: 4, deferred: 2, sent: 7 },
    });
    const dry = await key.tool('launch_campaign', { campaign_id: id });
    expect(dry.structured).toMatchObject({ outcome: 'would_resume', campaign: { state: 'paused' } });
    const resumed = await key.tool('launch_campaign', { campaign_id: id, confirm: true });
    expect(resumed.structured).toMatchObject({ outcome: 'launched', campaign: { state: 'running' } });
    const would = await key.tool('cancel_campaign', { campaign_id: id });
    expect(would.structured).toMatchObject({ outcome: 'would_cancel', campaign: { state: 'running' } });
    expect(would.structured.effect).toBe(
      'Would cancel "Spring" and drop 6 mails not handed over yet; 7 mails sent so far.',
    );
    expect((await key.rest(`POST /campaigns/${id}/cancel?dry_run=true`)).body).toEqual(would.structured);
    const { body } = await key.rest(`POST /campaigns/${id}/cancel`);
    expect(body).toMatchObject({
      outcome: 'cancelled',
      campaign: { state: 'cancelled', finished_at: expect.any(String) },
    });
    for (const confirm of [false, true]) {
      const again = await key.tool('cancel_campaign', { campaign_id: id, confirm });
      expect(again.structured).toMatchObject({ outcome: 'already_cancelled', campaign: body.campaign });
    }
  });

  test('a cancellation tells how many were dropped of an audience that still grew', async () => {
    const { bench, list, make } = await start();
    await bench.makeSubscriber(list);
    const id = await make();
    const { ports } = bench;
    const { store } = ports;
    await store.db
      .updateTable('mail_campaigns')
      .set({ state: 'running', launched_us: 1 })
      .where('campaign_id', '=', id)
      .execute();
    await store.transaction((tx) => addToCampaignCounts(tx, id, { pending: 3 }));
    let isFirst = true;
    const transaction: typeof store.transaction = async (work, options) => {
      const result = await store.transaction(work, options);
      if (isFirst) await store.transaction((tx) => addToCampaignCounts(tx, id, { pending: 2 }));
      isFirst = false;
      return result;
    };
    const growing = { ...ports, store: { ...store, transaction } };
    const { effect, campaign } = await cancelCampaign(growing, 'key', list.project_id, id, false);
    expect(campaign.counts.audience).toBe(5);
    expect(effect).toBe('Cancelled "Spring"; 5 mails dropped, 0 mails sent.');
  });

  test('pause, cancel and launch are refused in every state the table does not allow', async () => {
    const { bench, list, key, make, set } = await start();
    await bench.makeSubscriber(list);
    const id = await make();
    for (const state of campaignLife.states) {
      await set(id, state);
      for (const [act, isAllowed] of [
        ['pause', campaignLife.can(state, 'pause')],
        ['cancel', campaignLife.can(state, 'cancel') || state === 'cancelled'],
        ['launch', campaignLife.can(state, 'start') || state === 'paused'],
      ] as const) {
        if (isAllowed) continue;
        const { status, body } = await key.rest(`POST /campaigns/${id}/${act}`);
        expect({ state, act, status, errors: errorsOf(body) }).toEqual({
          state,
          act,
          status: 422,
          errors: ['state invalid_state'],
        });
        expect(body.detail).toContain(state);
      }
    }
  });

  test('what was changed while it was checked is checked again', async () => {
    const { bench, list, key, make } = await start();
    await bench.makeSubscriber(list);
    const id = await make();
    const launches = [key.rest(`POST /campaigns/${id}/launch`), key.rest(`POST /campaigns/${id}/launch`)];
    const outcomes = (await Promise.all(launches)).map(({ body }) => body.outcome ?? body.code);
    expect(outcomes.sort()).toEqual(['launched', 'precondition_failed']);
  });
});
