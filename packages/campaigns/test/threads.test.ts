import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { campaignsBench } from '../src/testing/index.ts';
import { WorkerPool } from '../src/workers/pool.ts';

/** What takes long runs in place in other tests; here it runs on a thread, as in the hub. */

describeEngines('on a thread', (engine) => {
  test('content is compiled, shown and counted, and its errors come back whole', async () => {
    const bench = await campaignsBench(engine);
    const workers = new WorkerPool(bench.ports, { threads: 1 });
    onTestFinished(() => workers.close());
    Object.assign(bench.ports, { workers });
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    await bench.makeSubscriber(list);
    const http = await bench.http();
    const call = async (line: string, body: object = {}) =>
      (await http.admin.rest(`POST ${line}`, { project_id: project.project_id, ...body })).body;
    const read = async (line: string) =>
      (await http.admin.rest(`GET ${line}?project_id=${project.project_id}`)).body;

    const template = await call('/templates', { name: 't', html: '<p>{{ subscriber.attributes.x }}</p>' });
    expect(await call(`/templates/${template.id}/render`)).toMatchObject({ html: '<p></p>' });
    expect(await call(`/templates/${template.id}/render`, { strict_variables: true })).toMatchObject({
      code: 'precondition_failed',
      errors: [
        { field: 'html', code: 'template_error', message: expect.stringContaining('(line 1, column 4)') },
      ],
    });

    const { id } = await call('/campaigns', {
      name: 'c',
      list_ids: [list.list_id],
      subject: 's',
      html: '<p>Hi</p>{{ unsubscribe_url }}',
    });
    expect(await call(`/campaigns/${id}/preview`)).toMatchObject({ subject: 's', headers: { Subject: 's' } });
    expect(await call(`/campaigns/${id}/launch`)).toMatchObject({ outcome: 'launched' });
    expect(await read(`/campaigns/${id}/report`)).toMatchObject({ counts: { audience: 0 }, reasons: [] });
    expect(await read(`/campaigns/${id}/deliveries`)).toEqual({ data: [], next_cursor: null });
  });
});
