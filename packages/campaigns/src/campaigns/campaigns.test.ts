import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/bench.ts';

const ALL = ['campaigns:read', 'campaigns:write', 'campaigns:launch'] as const;

describeEngines('drafts of campaigns', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ALL);
    return { bench, project, list, http, key };
  }

  test('have every field, empty ones too', async () => {
    const { key, project } = await start();
    const { status, body } = await key.rest('POST /campaigns', { name: 'Spring' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^cmp_/),
      project_id: project.project_id,
      name: 'Spring',
      list_ids: [],
      segment_id: null,
      from: null,
      reply_to: null,
      subject: null,
      preheader: null,
      template_id: null,
      html: null,
      text: null,
      tracking: { opens: 'off', clicks: 'off' },
      send_at: null,
      max_lateness_seconds: 3_600,
      strict_variables: false,
      rate_per_second: null,
      state: 'draft',
      counts: {
        audience: 0,
        pending: 0,
        submitted: 0,
        sent: 0,
        deferred: 0,
        failed: 0,
        unknown: 0,
        skipped: 0,
        cancelled: 0,
      },
      launched_at: null,
      finished_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await key.rest(`GET /campaigns/${body.id}`)).body).toEqual(body);
  });

  test('are due at no time that could not be read again', async () => {
    const { key } = await start();
    const { body: draft } = await key.rest('POST /campaigns', { name: 'Spring', send_at: '1685-01-01' });
    for (const send_at of ['0000-01-01T00:00:00Z', '1684-01-01', '2256-01-01', '9999-12-31T23:59:59Z']) {
      const errors = [{ field: 'send_at', code: 'out_of_range', message: expect.any(String) }];
      const created = await key.rest('POST /campaigns', { name: 'Summer', send_at });
      expect(created).toMatchObject({ status: 422, body: { errors } });
      const changed = await key.rest(`PATCH /campaigns/${draft.id}`, { send_at });
      expect(changed).toMatchObject({ status: 422, body: { errors } });
    }
    const { body } = await key.rest('GET /campaigns');
    expect(body.data).toMatchObject([{ id: draft.id, send_at: '1685-01-01T00:00:00.000Z' }]);
  });

  test('are changed field by field; what is left out stays, null clears', async () => {
    const { key, list } = await start();
    const { id } = (
      await key.rest('POST /campaigns', {
        name: 'Spring',
        subject: 'a',
        tracking: { opens: 'person' },
        rate_per_second: 5,
      })
    ).body;
    const { body } = await key.rest(`PATCH /campaigns/${id}`, {
      list_ids: [list.list_id],
      from: { name: 'News', email: 'news@example.com' },
      subject: null,
      tracking: { clicks: 'anonymous' },
      send_at: '2030-01-01T12:00:00+02:00',
      rate_per_second: null,
    });
    expect(body).toMatchObject({
      name: 'Spring',
      list_ids: [list.list_id],
      from: { name: 'News', email: 'news@example.com' },
      subject: null,
      tracking: { opens: 'person', clicks: 'anonymous' },
      send_at: '2030-01-01T10:00:00.000Z',
      rate_per_second: null,
    });
    for (const field of ['name', 'list_ids', 'tracking', 'max_lateness_seconds', 'strict_variables']) {
      const { errors } = (await key.rest(`PATCH /campaigns/${id}`, { [field]: null })).body;
      expect(errors).toMatchObject([{ field, code: 'invalid_type' }]);
    }
  });

  test('name only what is in the project, told with all else that is wrong', async () => {
    const { key, bench, http, list } = await start();
    const foreign = await bench.makeList((await bench.makeProject()).project_id);
    const gone = await bench.makeList(list.project_id, { deleted_us: 1 });
    const { body } = await key.rest('POST /campaigns', {
      name: '',
      list_ids: [list.list_id, foreign.list_id, gone.list_id, list.list_id],
      segment_id: `seg_${'0'.repeat(26)}`,
      template_id: 'tpl_1',
      from: { name: 'a\r\nBcc: x@example.org', email: 'nobody' },
      reply_to: 'a b@example.org',
      send_at: 'tomorrow',
    });
    expect(
      body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`).sort(),
    ).toEqual([
      'from.email invalid_format',
      'from.name invalid_format',
      'list_ids not_unique',
      'list_ids.1 not_allowed',
      'list_ids.2 not_allowed',
      'name too_short',
      'reply_to invalid_format',
      'segment_id not_allowed',
      'send_at invalid_format',
      'template_id invalid_format',
    ]);
    const admin = await http.admin.rest('POST /campaigns', { name: '', list_ids: [foreign.list_id] });
    expect(admin.body.errors.map(({ field }: { field: string }) => field)).toEqual(['name', 'project_id']);
  });

  test('are duplicated without their due time', async () => {
    const { key, list } = await start();
    const fields = {
      name: 'x'.repeat(200),
      list_ids: [list.list_id],
      subject: 's',
      send_at: '2030-01-01',
      html: 'h',
    };
    const { id } = (await key.rest('POST /campaigns', fields)).body;
    const { status, body } = await key.rest(`POST /campaigns/${id}/duplicate`, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...fields,
      name: `${'x'.repeat(193)} (copy)`,
      send_at: null,
      state: 'draft',
    });
    expect(body.id).not.toBe(id);
    expect((await key.tool('duplicate_campaign', { campaign_id: id, name: 'New' })).structured.name).toBe(
      'New',
    );
  });

  test('are listed, by state too, and deleted', async () => {
    const { key, bench } = await start();
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push((await key.rest('POST /campaigns', { name })).body.id);
    await bench.ports.store.db
      .updateTable('mail_campaigns')
      .set({ state: 'finished' })
      .where('campaign_id', '=', ids[1])
      .execute();
    const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
    expect(idsOf((await key.rest('GET /campaigns')).body)).toEqual(ids);
    expect(idsOf((await key.rest('GET /campaigns?state=finished')).body)).toEqual([ids[1]]);
    expect((await key.rest(`DELETE /campaigns/${ids[0]}`)).status).toBe(204);
    expect((await key.rest(`GET /campaigns/${ids[0]}`)).body.code).toBe('not_found');
    expect((await key.tool('delete_campaign', { campaign_id: ids[2] })).structured).toEqual({
      outcome: 'deleted',
      effect: 'Deleted the draft "c".',
      campaign: null,
    });
    for (const [line, body] of [
      [`DELETE /campaigns/${ids[1]}`],
      [`PATCH /campaigns/${ids[1]}`, { name: 'x' }],
    ] as const) {
      expect((await key.rest(line, body)).body).toMatchObject({
        code: 'precondition_failed',
        errors: [{ field: 'state', code: 'invalid_state' }],
      });
    }
  });

  test('of another project are not there', async () => {
    const { key, bench, http } = await start();
    const { id } = (await key.rest('POST /campaigns', { name: 'x' })).body;
    const other = await http.makeKey((await bench.makeProject()).project_id, ALL);
    for (const [line, body] of [
      [`GET /campaigns/${id}`],
      [`PATCH /campaigns/${id}`, { name: 'y' }],
      [`DELETE /campaigns/${id}`],
      [`POST /campaigns/${id}/duplicate`, {}],
      [`POST /campaigns/${id}/launch`, {}],
      [`POST /campaigns/${id}/pause`, {}],
      [`POST /campaigns/${id}/cancel`, {}],
    ] as const) {
      expect((await other.rest(line, body)).body.code).toBe('not_found');
    }
  });
});
