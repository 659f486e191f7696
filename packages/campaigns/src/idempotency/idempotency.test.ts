import { reclaimAfterRestart } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { operation } from '../operation.ts';
import { createApiKey } from '../operations/create-api-key.ts';
import { createList } from '../operations/create-list.ts';
import type { CampaignsOperation } from '../operations/index.ts';
import { subscriberIdSchema } from '../shapes/common.ts';
import { campaignsBench } from '../testing/index.ts';
import { purgeKeptAnswers } from './people.ts';

/** A POST about a person, which does as the test says. */
function greeting(handle: () => Promise<void>, after: () => Promise<void>) {
  return operation({
    name: 'greet_person',
    call: 'Call it to greet.',
    needs: 'Needs emails:write.',
    returns: 'Returns a greeting.',
    http: { method: 'POST', path: '/greetings', status: 201 },
    tool: true,
    rights: { scope: 'none', project: 'none' },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    input: z.strictObject({ subscriber_id: subscriberIdSchema.optional(), text: z.string().optional() }),
    output: z.strictObject({ to: z.string(), text: z.string().nullable() }),
    errors: [],
    async handle({ text }, { ports }) {
      await handle();
      await ports.store.transaction((tx) =>
        tx
          .insertInto('mail_audit')
          .values({
            audit_id: ports.newId('aud'),
            at_us: 0,
            actor: 'x',
            action: 'greet',
            target: 'y',
            details_json: '{}',
          })
          .execute(),
      );
      await after();
      return { to: 'Ana@Example.org', text: text ?? null };
    },
  });
}

describeEngines('Idempotency-Key', (engine) => {
  const nothing = async () => undefined;
  async function start(handle: () => Promise<void> = nothing, after: () => Promise<void> = nothing) {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const operations = [createList, createApiKey, greeting(handle, after)] as unknown as CampaignsOperation[];
    const http = await bench.http(operations);
    const key = await http.makeKey(project.project_id, ['lists:write', 'keys:write']);
    const greetings = async () =>
      (
        await bench.ports.store.db
          .selectFrom('mail_audit')
          .where('action', '=', 'greet')
          .selectAll()
          .execute()
      ).length;
    return { bench, http, key, project, greetings };
  }
  const keyed = (key: string) => ({ 'idempotency-key': key });

  test('carries a request out once, and gives its answer again', async () => {
    const { key, bench } = await start();
    const first = await key.rest('POST /lists', { name: 'A', public: true }, keyed('k1'));
    const again = await key.rest('POST /lists', { public: true, name: 'A' }, keyed('k1'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect({ ...again, headers: null }).toEqual({ ...first, headers: null });
    expect(await bench.ports.store.db.selectFrom('mail_lists').selectAll().execute()).toHaveLength(1);
    await bench.clock.advance(24 * 3_600_000 + 1);
    expect((await key.rest('POST /lists', { name: 'A', public: true }, keyed('k1'))).body.id).not.toBe(
      first.body.id,
    );
  });

  test('refuses another body, and keeps keys of different callers apart', async () => {
    const { key, http, project } = await start();
    await key.rest('POST /lists', { name: 'A' }, keyed('k1'));
    const other = await key.rest('POST /lists', { name: 'B' }, keyed('k1'));
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    const second = await http.makeKey(project.project_id, ['lists:write']);
    expect((await second.rest('POST /lists', { name: 'B' }, keyed('k1'))).status).toBe(201);
  });

  test('shows no secret a second time', async () => {
    const { key, bench } = await start();
    const body = { name: 'A', scopes: ['lists:write'] };
    const first = await key.rest('POST /api-keys', body, keyed('k1'));
    const again = await key.rest('POST /api-keys', body, keyed('k1'));
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...first.body, secret: null });
    const kept = await bench.ports.store.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain(first.body.secret);
  });

  test('is 1 to 255 visible characters', async () => {
    const { key } = await start();
    for (const bad of ['a b', 'x'.repeat(256)]) {
      const { status, body } = await key.rest('POST /lists', { name: 'A' }, keyed(bad));
      expect({ status, field: body.errors[0].field }).toEqual({ status: 422, field: 'Idempotency-Key' });
    }
  });

  test('makes a second request wait for the first', async () => {
    const arrived = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const { key, greetings } = await start(async () => {
      arrived.resolve();
      await go.promise;
    });
    const first = key.rest('POST /greetings', {}, keyed('k1'));
    await arrived.promise;
    const second = await key.rest('POST /greetings', {}, keyed('k1'));
    expect(second).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(second.headers.get('retry-after'))).toBeLessThanOrEqual(5);
    go.resolve();
    expect((await first).status).toBe(201);
    expect(await greetings()).toBe(1);
  });

  test('forgets a request that failed before it changed anything', async () => {
    let fails = true;
    const { key, greetings } = await start(async () => {
      if (fails) throw new Error('down');
    });
    expect((await key.rest('POST /greetings', {}, keyed('k1'))).status).toBe(500);
    fails = false;
    expect((await key.rest('POST /greetings', {}, keyed('k1'))).status).toBe(201);
    expect(await greetings()).toBe(1);
  });

  test('does not do again what was committed before it failed', async () => {
    const { key, greetings } = await start(undefined, async () => {
      throw new Error('down');
    });
    expect((await key.rest('POST /greetings', {}, keyed('k1'))).status).toBe(500);
    expect((await key.rest('POST /greetings', {}, keyed('k1'))).body.code).toBe('storage_timeout');
    expect(await greetings()).toBe(1);
  });

  test('does not do again what a dead process has committed', async () => {
    const { key, bench, greetings } = await start();
    await key.rest('POST /greetings', {}, keyed('k1'));
    // As it stands when the process dies between the commit and the keeping of the answer.
    await bench.ports.store.db
      .updateTable('idempotency_keys')
      .set({ state: 'started', body: null })
      .execute();
    await reclaimAfterRestart(bench.ports.store);
    await bench.clock.advance(200_000);
    const again = await key.rest('POST /greetings', {}, keyed('k1'));
    expect(again).toMatchObject({ status: 503, body: { code: 'storage_timeout' } });
    expect(await greetings()).toBe(1);
  });

  test('forgets answers with the people in them', async () => {
    const { key, bench, greetings, project } = await start();
    const subscriber_id = `sub_${'1'.repeat(26)}`;
    await key.rest('POST /greetings', { subscriber_id }, keyed('k1'));
    await key.rest('POST /greetings', { text: 'hello' }, keyed('k2'));
    const keys = () =>
      bench.ports.store.db.selectFrom('idempotency_keys').select('key').orderBy('key').execute();
    const purge = (subscriberIds: string[], emailKey: string, projectId = '') =>
      bench.ports.store.transaction((tx) =>
        purgeKeptAnswers(tx, bench.ports, { projectId, subscriberIds, emailKey }),
      );
    await purge([], 'ana@example.org', project.project_id);
    await purge(['sub_other'], 'bob@example.org');
    expect(await keys()).toEqual([{ key: 'k1' }, { key: 'k2' }]);
    await purge([subscriber_id], 'bob@example.org');
    expect(await keys()).toEqual([{ key: 'k2' }]);
    await purge([], 'ana@example.org');
    expect(await keys()).toEqual([]);
    expect(await bench.ports.store.db.selectFrom('mail_kept_answers').selectAll().execute()).toEqual([]);
    expect(await greetings()).toBe(2);
  });
});
