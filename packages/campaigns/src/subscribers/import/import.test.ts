import { describeEngines } from '@postern/store/testing';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { allScopes } from '../../context.ts';
import { campaignsBench, dumpTables } from '../../testing/index.ts';
import { WorkerPool } from '../../workers/pool.ts';
import { subscriberIdOf } from '../id.ts';
import type { ImportAnswer } from './shapes.ts';

describeEngines('imports', (engine) => {
  async function start() {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, allScopes, { ratePerMinute: 1_000_000 });
    const list = await bench.makeList(project.project_id);
    const path = `POST /lists/${list.list_id}/subscribers/import`;
    const load = (records: unknown, more: object = {}) => key.rest(path, { records, ...more });
    const counts = async () => (await key.rest(`GET /lists/${list.list_id}`)).body.counts;
    return { ...bench, project, key, list, path, load, counts };
  }

  test('tell what became of each record', async () => {
    const { ports, list, load, key, makeSubscriber, counts } = await start();
    const there = await makeSubscriber(list, {
      email: 'there@example.org',
      name: 'There',
      attributes_json: '{"a":1,"b":2}',
    });
    await makeSubscriber(list, { email: 'same@example.org', attributes_json: '{"a":1}' });
    await key.rest('POST /suppressions', { email: 'suppressed@example.org' });
    const id = (email: string) => subscriberIdOf(ports, list.list_id, email);
    const answer = await load([
      { email: 'New@example.org', name: 'New', attributes: { n: 1 } },
      { email: 'THERE@example.org', attributes: { a: null, c: [3] } },
      { email: 'same@example.org', attributes: { a: 1 } },
      { email: 'new@EXAMPLE.org', name: 'Late' },
      { email: 'no address' },
      { email: 'a@b' },
      { email: '' },
      { email: 'suppressed@example.org' },
    ]);
    const skipped = (index: number, reason: string, subscriber_id: string | null = null) => ({
      index,
      outcome: 'skipped',
      reason,
      subscriber_id,
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      created: 1,
      updated: 1,
      unchanged: 1,
      skipped: 5,
      results: [
        { index: 0, outcome: 'created', reason: null, subscriber_id: id('new@example.org') },
        { index: 1, outcome: 'updated', reason: null, subscriber_id: there.subscriber_id },
        { index: 2, outcome: 'unchanged', reason: null, subscriber_id: id('same@example.org') },
        skipped(3, 'duplicate', id('new@example.org')),
        skipped(4, 'invalid_email'),
        skipped(5, 'invalid_email'),
        skipped(6, 'invalid_email'),
        skipped(7, 'suppressed'),
      ],
    });
    const { body } = await key.rest(`GET /subscribers/${there.subscriber_id}`);
    expect(body).toMatchObject({ name: 'There', attributes: { b: 2, c: [3] }, email: 'there@example.org' });
    const added = await key.rest(`GET /subscribers/${id('new@example.org')}`);
    expect(added.body).toMatchObject({
      email: 'New@example.org',
      name: 'New',
      consent: { source: 'import' },
    });
    expect(await counts()).toMatchObject({ subscribed: 3 });
  });

  test('with one record of the wrong form write nothing at all, and name every fault', async () => {
    const { ports, load, key, list } = await start();
    const before = await dumpTables(ports.store);
    const { status, body } = await load([
      { email: 'ana@example.org' },
      { email: 7 },
      { name: 'No address' },
      { email: 'bo@example.org', nick: 'Bo' },
      { email: 'cy@example.org', attributes: 'x' },
      { email: 'di@example.org', name: 'x'.repeat(201) },
      { email: 'ed@example.org', attributes: { bell: '\u0007' } },
      'text',
    ]);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect(body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)).toEqual(
      [
        'records.1.email invalid_type',
        'records.2.email required',
        'records.3.nick unknown_field',
        'records.4.attributes invalid_type',
        'records.5.name too_long',
        'records.6.attributes.bell invalid_format',
        'records.7 invalid_type',
      ],
    );
    const none = await load([]);
    expect(none.body.errors).toMatchObject([{ field: 'records', code: 'too_short' }]);
    const without = await load([{ email: 'ana@example.org' }], { resubscribe: true });
    expect(without.body.errors).toMatchObject([{ field: 'evidence', code: 'required' }]);
    const tool = await key.tool('import_subscribers', { list_id: list.list_id, records: [{ email: null }] });
    expect(tool.structured).toEqual({
      code: 'validation_failed',
      detail: expect.stringMatching(/^records\.0\.email\b/),
    });
    expect(await dumpTables(ports.store)).toEqual(before);
  });

  test('take 10,000 records over REST and 1,000 as a tool, and not one more', async () => {
    const { ports, load, key, list, counts } = await start();
    const records = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ email: `p${index}@example.org` }));
    const before = await dumpTables(ports.store);
    const tooMany = await load(records(10_001));
    expect(tooMany).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'records', code: 'too_many' }] },
    });
    const tool = await key.tool('import_subscribers', { list_id: list.list_id, records: records(1_001) });
    expect(tool).toMatchObject({
      isError: true,
      structured: { code: 'validation_failed', errors: [{ field: 'records', code: 'too_many' }] },
    });
    expect(await dumpTables(ports.store)).toEqual(before);
    const thousand = await key.tool('import_subscribers', { list_id: list.list_id, records: records(1_000) });
    expect(thousand.structured).toMatchObject({ created: 1_000, unchanged: 0 });
    const all = await load(records(10_000));
    expect(all.body).toMatchObject({ created: 9_000, unchanged: 1_000 });
    expect(await counts()).toMatchObject({ subscribed: 10_000 });
    expect((await load(records(10_000))).body).toMatchObject({ created: 0, unchanged: 10_000 });
    expect(await counts()).toMatchObject({ subscribed: 10_000 });
  });

  test('work on a thread, where there are any', async () => {
    const bench = await campaignsBench(engine);
    const workers = new WorkerPool(bench.ports, { threads: 1 });
    onTestFinished(() => workers.close());
    const { importTask } = await import('./task.ts');
    const { readBulkTask } = await import('../../workers/read-bulk.ts');
    const { project_id } = await bench.makeProject();
    const { list_id } = await bench.makeList(project_id);
    const records = Array.from({ length: 2_500 }, (_, index) => ({ email: `p${index}@example.org` }));
    const request = { projectId: project_id, listId: list_id, resubscribe: false, evidence: null };
    const sent = { query: {}, params: { list_id }, body: Buffer.from(JSON.stringify({ records })) };
    const read = await workers.run(readBulkTask, { name: 'import_subscribers', sent });
    expect(read).toMatchObject({ input: { list_id }, violations: [], checked: { ok: true } });
    const text = JSON.stringify(records);
    expect(read).toMatchObject({ checked: { value: { list_id, records: text } } });
    const { counts, answer } = await workers.run(importTask, { ...request, records: text });
    const { results, ...told }: ImportAnswer = JSON.parse(answer);
    expect(told).toEqual(counts);
    expect(results.map(({ outcome }) => outcome)).toEqual(records.map(() => 'created'));
    const gone = workers.run(importTask, {
      ...request,
      listId: `lst_${'0'.repeat(26)}`,
      records: '[{"email":"a@example.org"}]',
    });
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
  });

  test('with the same key are done once', async () => {
    const { key, path, counts } = await start();
    const body = { records: [{ email: 'ana@example.org' }, { email: 'bo@example.org' }] };
    const first = await key.rest(path, body, { 'idempotency-key': 'once' });
    const second = await key.rest(path, body, { 'idempotency-key': 'once' });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(await counts()).toMatchObject({ subscribed: 2 });
  });

  const values = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const storable = (text: string) => text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text);
  const attributes = fc.dictionary(
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
      .filter((key) => storable(key) && key !== '__proto__'),
    values.filter((value) => typeof value !== 'string' || storable(value)),
    { maxKeys: 4 },
  );
  const record = fc.record(
    {
      email: fc.constantFrom(
        'a@example.org',
        'A@EXAMPLE.org',
        'b@example.org',
        'c@bücher.example',
        'd@',
        'e@example.org',
      ),
      name: fc.constantFrom('Ana', 'Bö', null),
      attributes,
    },
    { requiredKeys: ['email'] },
  );

  test('come to the same as adding one by one', async () => {
    const { makeList, project, key } = await start();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(record, { minLength: 1, maxLength: 12 }), { maxLength: 3 }),
        async (imports) => {
          const [one, other] = [await makeList(project.project_id), await makeList(project.project_id)];
          for (const records of imports) {
            const path = `POST /lists/${one.list_id}/subscribers/import`;
            const { body } = await key.rest(path, { records });
            const seen = new Set<string>();
            for (const [index, { email, ...given }] of records.entries()) {
              const canonical = email.toLowerCase();
              const outcome = body.results[index].outcome;
              if (email === 'd@' || seen.has(canonical)) {
                expect(outcome).toBe('skipped');
                continue;
              }
              seen.add(canonical);
              const added = await key.rest(`POST /lists/${other.list_id}/subscribers`, { email, ...given });
              expect(added.status).toBe(outcome === 'created' ? 201 : 200);
            }
          }
          const people = async (listId: string) => {
            const { body } = await key.rest(`GET /lists/${listId}/subscribers`);
            return body.data
              .map(({ email, name, attributes, status }: Record<string, unknown>) => ({
                email,
                name,
                attributes,
                status,
              }))
              .sort((a: { email: string }, b: { email: string }) => (a.email < b.email ? -1 : 1));
          };
          expect(await people(one.list_id)).toEqual(await people(other.list_id));
          const counts = async (listId: string) => (await key.rest(`GET /lists/${listId}`)).body.counts;
          expect(await counts(one.list_id)).toEqual(await counts(other.list_id));
        },
      ),
      { numRuns: engine === 'sqlite' ? 25 : 10 },
    );
  });
});
