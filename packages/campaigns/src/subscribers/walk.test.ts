import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench } from '../testing/index.ts';
import { stretchesOf } from './walk.ts';

describeEngines('walking a list', (engine) => {
  test.each([0, 1, 2, 3, 6, 7])('of %i people meets each once', async (count) => {
    const { ports, makeProject, makeList, makeSubscriber } = await campaignsBench(engine);
    const { project_id } = await makeProject();
    const list = await makeList(project_id);
    await makeSubscriber(await makeList(project_id));
    const ids = [];
    for (let index = 0; index < count; index += 1) ids.push((await makeSubscriber(list)).subscriber_id);
    const met: string[] = [];
    for await (const { after, upTo } of stretchesOf(
      ports.store.db,
      list.list_id,
      new AbortController().signal,
      '',
      3,
    )) {
      met.push(...ids.filter((id) => id > after && (upTo === null || id <= upTo)));
    }
    expect(met.sort()).toEqual(ids.sort());
  });
});
