import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';
import { createLauncher } from './launcher.ts';

describeEngines('test sends', (engine) => {
  async function start(config = {}) {
    const bench = await campaignsBench(engine, { config });
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['campaigns:write', 'campaigns:launch']);
    const make = async (fields: object): Promise<string> =>
      (await key.rest('POST /campaigns', { name: 'Spring', list_ids: [list.list_id], ...fields })).body.id;
    const queued = () =>
      bench.ports.store.db.selectFrom('mail_emails').selectAll().orderBy('email_id').execute();
    return { bench, list, key, make, queued };
  }

  test('queue what a subscriber would get, for each address once', async () => {
    const { bench, list, key, make, queued } = await start();
    const bo = await bench.makeSubscriber(list, { name: 'Bo' });
    const id = await make({
      subject: 'Hi {{ subscriber.name }}',
      html: '<p>x</p>{{ unsubscribe_url }}',
      reply_to: 'r@example.com',
    });
    const { status, body } = await key.rest(`POST /campaigns/${id}/test`, {
      to: ['me@example.org', ' me@example.org', 'you@example.org'],
      subscriber_id: bo.subscriber_id,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { sent_to: ['me@example.org', 'you@example.org'] },
    });
    const rows = await queued();
    expect(rows).toMatchObject([
      { recipient: 'me@example.org', kind: 'test', state: 'pending' },
      { recipient: 'you@example.org', kind: 'test', state: 'pending' },
    ]);
    expect(JSON.parse(rows[0]?.request_json ?? '')).toEqual({
      from: { name: 'News', email: 'news@example.com' },
      reply_to: 'r@example.com',
      subject: 'Hi Bo',
      html: '<p>x</p>http://127.0.0.1:8080/p/u/sample',
      text: expect.stringContaining('x'),
    });
    const one = await key.tool('send_test_campaign', { campaign_id: id, to: 'me@example.org' });
    expect(one.structured).toEqual({ sent_to: ['me@example.org'] });
  });

  test('are refused without sender or body, and for what is no address', async () => {
    const { key, make, queued } = await start();
    const id = await make({ list_ids: [] });
    const refused = await key.rest(`POST /campaigns/${id}/test`, { to: 'me@example.org' });
    expect(refused.body).toMatchObject({
      code: 'precondition_failed',
      errors: [{ field: 'from' }, { field: 'html', code: 'template_error' }],
    });
    for (const [to, field] of [
      ['nobody', 'to'],
      [['a@example.org', 'nobody'], 'to.1'],
      [[], 'to'],
    ] as const) {
      const { body } = await key.rest(`POST /campaigns/${id}/test`, { to });
      expect(body).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
    }
    expect(await queued()).toEqual([]);
  });

  test('by SMTP ask for a verified domain, as launches do, and due campaigns do too', async () => {
    const { bench, list, key, make } = await start();
    await bench.makeSubscriber(list);
    const id = await make({ subject: 's', text: '{{ unsubscribe_url }}', send_at: '2100-01-01' });
    await key.rest(`POST /campaigns/${id}/launch`);
    const row = await bench.ports.store.db.selectFrom('mail_campaigns').selectAll().executeTakeFirstOrThrow();
    expect(await createLauncher(bench.ports).prepare(row)).toEqual({ contentJson: row.content_json });
    const bySmtp = {
      ...bench.ports,
      config: { ...bench.ports.config, smtp: [{ url: 'smtp://127.0.0.1', tls: 'none' as const }] },
    };
    expect(await createLauncher(bySmtp).prepare(row)).toEqual({ unfit: 'domain_unverified' });
    const other = await start({ smtp: [{ url: 'smtp://127.0.0.1' }] });
    const refused = await other.key.rest(`POST /campaigns/${await other.make({ text: 'x' })}/test`, {
      to: 'a@example.org',
    });
    expect(refused.body.errors).toMatchObject([{ field: 'from', code: 'domain_unverified' }]);
  });
});
