import { systemClock } from '@postern/kit';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createLauncher } from '../campaigns/launcher.ts';
import { createCampaignEngine } from '../engine/engine.ts';
import { makeSuppression } from '../engine/testing/campaigns.ts';
import { campaignsBench } from '../testing/bench.ts';

const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 15_000 });

describeEngines('single e-mails', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine, {
      ports: { clock: systemClock },
      config: { engine: { workers: 0 } },
    });
    const project = await bench.makeProject();
    const { admin } = await bench.http();
    const context = { project_id: project.project_id };
    const email = {
      ...context,
      to: 'Ana@Example.org',
      from: { name: 'Shop', email: 'orders@example.com' },
      subject: 'Order {{ number }}',
      html: '<p>Hello {{ who }}</p>',
      data: { number: 42, who: 'Ana & Bo' },
    };
    return {
      ...bench,
      project,
      admin,
      context,
      email,
      query: `project_id=${project.project_id}`,
      async run() {
        const running = createCampaignEngine({ ports: bench.ports, launcher: createLauncher(bench.ports) });
        onTestFinished(() => running.stop());
        await running.start();
      },
    };
  }

  test('are queued, sent, and told about', async () => {
    const { admin, email, query, run, ports } = await start();
    const created = await admin.rest('POST /emails', email);
    expect(created).toMatchObject({
      status: 201,
      body: { to: 'Ana@Example.org', state: 'pending', reason: null, reference: null, sent_at: null },
    });
    await run();
    const read = () => admin.rest(`GET /emails/${created.body.id}?${query}`);
    await eventually(async () => (await read()).body).toMatchObject({
      state: 'sent',
      sent_at: expect.stringMatching(/Z$/),
      smtp_reply: expect.stringMatching(/^250 /),
    });
    const [mail] = await ports.store.db.selectFrom('mail_captured').selectAll().execute();
    expect(mail).toMatchObject({ rcpt_to: 'Ana@example.org', subject: 'Order 42' });
    const text = Buffer.from(mail!.raw).toString();
    expect(text).toContain('From: Shop <orders@example.com>');
    expect(text).toContain('<p>Hello Ana &amp; Bo</p>');
    expect(text).toContain('Hello Ana & Bo');
    expect(text).toContain('multipart/alternative');
  });

  test('are sent once for a reference, however often they are asked for', async () => {
    const { admin, email, context, query } = await start();
    const asked = { ...email, reference: 'order-42' };
    const answers = await Promise.all([1, 2, 3].map(() => admin.rest('POST /emails', asked)));
    expect(answers.map((one) => one.status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map((one) => one.body.id)).size).toBe(1);
    const other = await admin.rest('POST /emails', { ...asked, ...context, to: 'bo@example.org' });
    expect(other).toMatchObject({ status: 200, body: { to: 'Ana@Example.org' } });
    const listed = await admin.rest(`GET /emails?${query}&reference=order-42`);
    expect(listed.body.data).toHaveLength(1);
    const byAddress = await admin.rest(`GET /emails?${query}&to=ana@EXAMPLE.org`);
    expect(byAddress.body.data).toHaveLength(1);
    expect((await admin.rest(`GET /emails?${query}&to=bo@example.org`)).body.data).toEqual([]);
  });

  test('to a suppressed address fail at once', async () => {
    const { admin, email, ports, project } = await start();
    await makeSuppression(ports, project.project_id, 'ana@example.org', 'complaint');
    const { body } = await admin.rest('POST /emails', email);
    expect(body).toMatchObject({ state: 'failed', reason: 'suppressed' });
  });

  test('say all that is wrong with them', async () => {
    const { admin, email, context } = await start();
    const bad = await admin.rest('POST /emails', {
      ...context,
      to: 'nobody',
      from: { email: 'a@b.org\r\nBcc: c@d.org' },
      reference: 'a\nb',
      subject: 'x',
    });
    expect(bad.status).toBe(422);
    expect(bad.body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      'from.email',
      'reference',
      'to',
    ]);
    const { html: _, ...empty } = email;
    const bodyless = await admin.rest('POST /emails', empty);
    expect(bodyless.body).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'html', code: 'required' }],
    });
    const broken = await admin.rest('POST /emails', { ...email, html: '<p>{{ oops </p>' });
    expect(broken.body).toMatchObject({ code: 'precondition_failed', errors: [{ code: 'template_error' }] });
  });

  test('take their content from a template where they have none', async () => {
    const { admin, email, context, ports } = await start();
    const template = await admin.rest('POST /templates', {
      ...context,
      name: 'Order',
      subject: 'Template {{ number }}',
      text: 'Dear {{ who }}',
    });
    const { html: _html, subject: _subject, ...rest } = email;
    const { status, body } = await admin.rest('POST /emails', { ...rest, template_id: template.body.id });
    expect(status).toBe(201);
    const row = await ports.store.db
      .selectFrom('mail_emails')
      .select('request_json')
      .where('email_id', '=', body.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.request_json)).toMatchObject({ subject: 'Template 42', text: 'Dear Ana & Bo' });
  });
});
