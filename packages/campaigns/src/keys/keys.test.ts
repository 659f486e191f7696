import { describeEngines } from '@postern/store/testing';
import { describe, expect, test } from 'vitest';
import { adminOf } from '../auth.ts';
import { allScopes, scopeAreas } from '../context.ts';
import { BENCH_ADMIN_KEY, campaignsBench } from '../testing/index.ts';

describeEngines('API keys', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    return { bench, http, project, project_id: project.project_id };
  }

  test('are shown with their secret once, and kept as a hash', async () => {
    const { bench, http, project_id } = await start();
    const made = await http.admin.rest('POST /api-keys', {
      project_id,
      name: 'CI',
      scopes: ['lists:write', 'lists:read', 'lists:read'],
      expires_at: '2027-01-01T00:00:00+02:00',
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^key_/),
        kind: 'api',
        project_id,
        name: 'CI',
        scopes: ['lists:read', 'lists:write'],
        expires_at: '2026-12-31T22:00:00.000Z',
        last_used_at: null,
        revoked_at: null,
        secret: expect.stringMatching(/^pst_api_[\w-]{43}$/),
      },
    });
    const { secret, ...shown } = made.body;
    expect(secret.startsWith(shown.prefix)).toBe(true);
    const { body } = await http.admin.rest(`GET /api-keys?project_id=${project_id}`);
    expect(body).toEqual({ data: [shown], next_cursor: null });
    const rows = await bench.ports.store.db.selectFrom('mail_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('work until they are revoked, and are then refused', async () => {
    const { http, project_id } = await start();
    const key = await http.makeKey(project_id, ['keys:write']);
    const path = `/api-keys/${key.keyId}`;
    const dry = await key.rest(`DELETE ${path}?dry_run=true`);
    expect(dry.body).toMatchObject({ outcome: 'would_revoke', key: { id: key.keyId, revoked_at: null } });
    const real = await key.rest(`DELETE ${path}`);
    expect(real.body).toMatchObject({ outcome: 'revoked', key: { revoked_at: expect.any(String) } });
    expect((await key.rest('GET /whoami')).status).toBe(401);
    const query = `?project_id=${project_id}`;
    for (const dryRun of ['', '&dry_run=true']) {
      const again = await http.admin.rest(`DELETE ${path}${query}${dryRun}`);
      expect(again.body).toMatchObject({ outcome: 'already_revoked', key: real.body.key });
    }
    const list = await http.admin.rest(`GET /api-keys${query}`);
    expect(list.body.data).toEqual([real.body.key]);
  });

  test('work until they expire, and note when they were last used', async () => {
    const { bench, http, project_id } = await start();
    const expiresUs = bench.clock.nowMicroseconds() + 3_600_000_000;
    const key = await http.makeKey(project_id, [], { expiresUs });
    const first = await key.rest('GET /whoami');
    expect(first.body.key.last_used_at).toBe('2026-05-01T00:00:00.000Z');
    await bench.clock.advance(59 * 60_000);
    expect((await key.rest('GET /whoami')).body.key.last_used_at).toBe('2026-05-01T00:59:00.000Z');
    await bench.clock.advance(60_000);
    expect((await key.rest('GET /whoami')).status).toBe(401);
  });

  test('grant no more than they have', async () => {
    const { bench, http, project_id } = await start();
    const expiresUs = bench.clock.nowMicroseconds() + 3_600_000_000;
    const key = await http.makeKey(project_id, ['keys:write', 'lists:read'], {
      expiresUs,
      ratePerMinute: 100,
    });
    const expires_at = '2026-05-01T01:00:00Z';
    const grant = (fields: object) =>
      key.rest('POST /api-keys', { name: 'less', scopes: ['lists:read'], expires_at, ...fields });
    expect(await grant({})).toMatchObject({ status: 201, body: { rate_per_minute: 100 } });
    for (const [fields, named] of [
      [{ scopes: ['lists:read', 'lists:write'] }, 'lists:write'],
      [{ expires_at: null }, 'expires_at'],
      [{ expires_at: '2026-05-01T01:00:00.001Z' }, 'expires_at'],
      [{ rate_per_minute: 101 }, 'rate_per_minute'],
    ] as const) {
      const refused = await grant(fields);
      expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(refused.body.detail).toContain(named);
    }
  });

  test('of another project, and admin keys, are nowhere to be found', async () => {
    const { bench, http, project_id } = await start();
    const other = await bench.makeProject();
    const theirs = await http.makeKey(other.project_id, []);
    const admin = await http.admin.rest('POST /admin-keys', { name: 'second' });
    const key = await http.makeKey(project_id, allScopes);
    for (const id of [theirs.keyId, admin.body.id]) {
      expect((await key.rest(`DELETE /api-keys/${id}`)).status).toBe(404);
    }
    expect((await http.admin.rest(`DELETE /admin-keys/${theirs.keyId}`)).status).toBe(404);
  });

  test('are refused with all that there is when a scope is none', async () => {
    const { http, project_id } = await start();
    const refused = await http.admin.rest('POST /api-keys', {
      project_id,
      name: 'x',
      scopes: ['lists:reed'],
    });
    expect(refused.body.errors).toMatchObject([{ field: 'scopes.0', code: 'not_allowed' }]);
    for (const area of [...scopeAreas, 'campaigns:launch', '"lists:reed"']) {
      expect(refused.body.detail).toContain(area);
    }
  });

  test('that expire when no time that is kept can be are refused', async () => {
    const { http, project_id } = await start();
    for (const expires_at of ['9999-12-31T23:59:59.999Z', '2256-01-01', '0000-01-01']) {
      const errors = [{ field: 'expires_at', code: 'out_of_range', message: expect.any(String) }];
      for (const [line, more] of [
        ['POST /admin-keys', {}],
        ['POST /api-keys', { project_id, scopes: ['lists:read'] }],
      ] as const) {
        const answer = await http.admin.rest(line, { name: 'Key', expires_at, ...more });
        expect(answer).toMatchObject({ status: 422, body: { errors } });
      }
    }
    const last = await http.admin.rest('POST /admin-keys', { name: 'Key', expires_at: '2255-01-01' });
    expect(last.status).toBe(201);
    expect((await http.admin.rest('GET /admin-keys')).body.data).toContainEqual(
      expect.objectContaining({ id: last.body.id, expires_at: '2255-01-01T00:00:00.000Z' }),
    );
    expect((await http.holder(last.body.secret).rest('GET /whoami')).status).toBe(200);
  });

  test('that would be dead when they are born are refused', async () => {
    const { http, project_id } = await start();
    const expires_at = '2026-05-01T00:00:00Z';
    const { status, body } = await http.admin.rest('POST /api-keys', {
      project_id,
      name: 'x'.repeat(201),
      scopes: ['lists:read'],
      expires_at,
    });
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: [
        { field: 'name', code: 'too_long', message: expect.any(String) },
        { field: 'expires_at', code: 'out_of_range', message: expect.any(String) },
      ],
    });
  });
});

describeEngines('admin keys', (engine) => {
  test('begin with bootstrap, which is listed first and cannot go while it is alone', async () => {
    const bench = await campaignsBench(engine);
    const { admin } = await bench.http();
    const list = await admin.rest('GET /admin-keys');
    expect(list.body).toEqual({
      data: [
        expect.objectContaining({ id: 'bootstrap', name: 'bootstrap', kind: 'admin', project_id: null }),
      ],
      next_cursor: null,
    });
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await admin.rest(`DELETE /admin-keys/bootstrap${query}`);
      expect({ status, code: body.code, errors: body.errors }).toEqual({
        status: 422,
        code: 'precondition_failed',
        errors: [{ field: 'key_id', code: 'last_admin_key', message: expect.any(String) }],
      });
    }
  });

  test('let bootstrap be revoked once there is another, for good', async () => {
    const bench = await campaignsBench(engine);
    const http = await bench.http();
    const made = await http.admin.rest('POST /admin-keys', { name: 'second' });
    expect(made.body).toMatchObject({
      kind: 'admin',
      scopes: [],
      secret: expect.stringMatching(/^pst_adm_/),
    });
    const second = http.holder(made.body.secret, made.body.id);
    expect((await second.rest('DELETE /admin-keys/bootstrap')).body.outcome).toBe('revoked');
    expect((await http.admin.rest('GET /whoami')).status).toBe(401);
    const restarted = await bench.again(bench.clock);
    expect(await adminOf(restarted.ports, BENCH_ADMIN_KEY)).toBeNull();
    expect(await adminOf(restarted.ports, made.body.secret)).toBe(made.body.id);
    const list = await second.rest('GET /admin-keys');
    expect(list.body.data.map((key: { id: string }) => key.id)).toEqual(['bootstrap', made.body.id]);
    expect(list.body.data[0].revoked_at).not.toBeNull();
    expect((await second.rest('DELETE /admin-keys/bootstrap')).body.outcome).toBe('already_revoked');
    const last = await second.rest(`DELETE /admin-keys/${second.keyId}`);
    expect(last.body.errors[0].code).toBe('last_admin_key');
  });

  test('do not count an expired key as another', async () => {
    const bench = await campaignsBench(engine);
    const { admin } = await bench.http();
    await admin.rest('POST /admin-keys', { name: 'brief', expires_at: '2026-05-01T01:00:00Z' });
    await bench.clock.advance(3_600_000);
    expect((await admin.rest('DELETE /admin-keys/bootstrap')).status).toBe(422);
  });

  test('never revoke each other at the same time', async () => {
    const bench = await campaignsBench(engine);
    const http = await bench.http();
    const made = await http.admin.rest('POST /admin-keys', { name: 'second' });
    const second = http.holder(made.body.secret, made.body.id);
    const answers = await Promise.all([
      second.rest('DELETE /admin-keys/bootstrap'),
      http.admin.rest(`DELETE /admin-keys/${second.keyId}`),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('come in pages, bootstrap included', async () => {
    const bench = await campaignsBench(engine);
    const { admin } = await bench.http();
    const made: string[] = ['bootstrap'];
    for (const name of ['a', 'b', 'c']) made.push((await admin.rest('POST /admin-keys', { name })).body.id);
    for (const limit of [1, 2, 3, 4, 5]) {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await admin.rest(`GET /admin-keys?limit=${limit}${cursor}`);
        expect(body.data.length).toBeLessThanOrEqual(limit);
        seen.push(...body.data.map((key: { id: string }) => key.id));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen).toEqual(made);
    }
  });
});

describe('whoami', () => {
  test('tells key, project and what is left of its requests', async () => {
    const bench = await campaignsBench('sqlite', { config: { rateLimit: { perMinute: 60 } } });
    const project = await bench.makeProject({ name: 'Harbour' });
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['lists:read']);
    expect((await key.rest('GET /whoami')).body).toMatchObject({
      key: { id: key.keyId, kind: 'api', scopes: ['lists:read'] },
      project: { id: project.project_id, name: 'Harbour' },
      rate_limit: { limit: 60, remaining: 59, reset_seconds: 1 },
    });
    expect((await key.tool('whoami')).structured.rate_limit).toEqual({
      limit: 60,
      remaining: 58,
      reset_seconds: 2,
    });
    expect((await http.admin.rest('GET /whoami')).body).toMatchObject({
      key: { id: 'bootstrap' },
      project: null,
    });
  });
});
