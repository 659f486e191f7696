import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/index.ts';

describeEngines('projects', (engine) => {
  test('have slugs of their own', async () => {
    const { admin } = await (await campaignsBench(engine)).http();
    const first = await admin.rest('POST /projects', { name: 'One', slug: 'shop' });
    expect(first).toMatchObject({
      status: 201,
      body: { name: 'One', slug: 'shop', sender_address: null, deleted_at: null },
    });
    const taken = await admin.rest('POST /projects', { name: 'Two', slug: 'shop' });
    expect(taken).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const second = await admin.rest('POST /projects', { name: 'Two', slug: 'shop-2' });
    const moved = await admin.rest(`PATCH /projects/${second.body.id}`, { slug: 'shop' });
    expect(moved.body.code).toBe('conflict');
    const same = await admin.rest(`PATCH /projects/${first.body.id}`, { slug: 'shop', name: 'Uno' });
    expect(same).toMatchObject({ status: 200, body: { slug: 'shop', name: 'Uno' } });
  });

  test('made at the same time with one slug become one', async () => {
    const { admin } = await (await campaignsBench(engine)).http();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((name) => admin.rest('POST /projects', { name: `P${name}`, slug: 'race' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  test('keep what a change leaves out, and clear what it nulls', async () => {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject({ slug: 'shop', sender_address: 'Quay 1\nPorto' });
    const { admin } = await bench.http();
    const path = `PATCH /projects/${project.project_id}`;
    await bench.clock.advance(1_000);
    expect((await admin.rest(path, {})).body.updated_at).toBe('2026-05-01T00:00:00.000Z');
    expect((await admin.rest(path, { name: 'New' })).body).toMatchObject({
      name: 'New',
      slug: 'shop',
      sender_address: 'Quay 1\nPorto',
      updated_at: '2026-05-01T00:00:01.000Z',
    });
    expect((await admin.rest(path, { sender_address: null })).body).toMatchObject({
      name: 'New',
      sender_address: null,
    });
    const { status, body } = await admin.rest(path, { name: null, slug: null });
    expect(status).toBe(422);
    expect(body.errors.map((error: { field: string; code: string }) => [error.field, error.code])).toEqual([
      ['name', 'invalid_type'],
      ['slug', 'invalid_type'],
    ]);
  });

  test("are read by their own keys, and by nobody else's", async () => {
    const bench = await campaignsBench(engine);
    const [own, other] = [await bench.makeProject(), await bench.makeProject()];
    const http = await bench.http();
    const key = await http.makeKey(own.project_id, ['projects:read', 'projects:write']);
    expect((await key.rest('GET /projects')).body.data.map((row: { id: string }) => row.id)).toEqual([
      own.project_id,
    ]);
    expect((await key.rest(`GET /projects/${own.project_id}`)).status).toBe(200);
    expect((await key.rest(`GET /projects/${other.project_id}`)).status).toBe(404);
    expect((await key.rest(`PATCH /projects/${own.project_id}`, { name: 'x' })).status).toBe(403);
  });

  test('once deleted are still answered, and free their slug', async () => {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject({ slug: 'shop', name: 'Shop' });
    const list = await bench.makeList(project.project_id);
    for (const status of ['subscribed', 'unsubscribed', 'erased'] as const) {
      await bench.makeSubscriber(list, { status });
    }
    const http = await bench.http();
    const { admin } = http;
    const key = await http.makeKey(project.project_id, ['lists:read', 'projects:read']);
    const path = `/projects/${project.project_id}`;
    const dry = await admin.rest(`DELETE ${path}?dry_run=true`);
    expect(dry.body).toMatchObject({ outcome: 'would_delete', project: { deleted_at: null } });
    expect(dry.body.effect).toContain('1 list, 2 subscribers and 0 campaigns');
    const real = await admin.rest(`DELETE ${path}`);
    expect(real.body).toMatchObject({
      outcome: 'deleted',
      project: { slug: 'shop', deleted_at: expect.any(String) },
    });
    for (const query of ['', '?dry_run=true']) {
      const again = await admin.rest(`DELETE ${path}${query}`);
      expect(again).toMatchObject({ status: 200, body: { outcome: 'already_deleted' } });
      expect(again.body.project).toEqual(real.body.project);
    }
    expect((await admin.rest(`GET ${path}`)).body).toEqual(real.body.project);
    expect((await key.rest(`GET ${path}`)).status).toBe(200);
    expect((await key.rest('GET /lists')).status).toBe(404);
    expect((await key.rest('GET /whoami')).body.project.deleted_at).not.toBeNull();
    expect((await admin.rest(`PATCH ${path}`, { name: 'x' })).status).toBe(404);
    expect((await admin.rest('GET /projects')).body.data).toEqual([]);
    expect((await admin.rest('POST /projects', { name: 'Next', slug: 'shop' })).status).toBe(201);
  });

  test('with a running campaign are not deleted', async () => {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const { campaign_id } = await bench.makeCampaign(project.project_id, { state: 'running' });
    const { admin } = await bench.http();
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await admin.rest(`DELETE /projects/${project.project_id}${query}`);
      expect({ status, code: body.errors[0].code }).toEqual({ status: 422, code: 'in_use' });
      expect(body.detail).toContain(campaign_id);
    }
  });
});
