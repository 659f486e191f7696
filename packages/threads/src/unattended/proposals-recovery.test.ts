import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { PlatformError } from '../platforms/platform.ts';
import { newRow } from '../questions/rows.ts';
import { OWNER } from '../testing/fake-platform.ts';
import { taskBench } from '../testing/task-bench.ts';
import { createProposals, TELL_AGAIN_MS } from './proposals.ts';
import { tasksOf } from './tasks.ts';

/** A yes that an earlier process did not come to carry out. */
async function leftYes(engine: Engine) {
  const bench = await taskBench(engine);
  const { store, platform, clock } = bench;
  const schedule = { preset: 'daily', time: '09:00', weekday: null, timezone: 'UTC' };
  const by = { id: OWNER.id, name: OWNER.name, via: 'reaction' };
  const question = newRow(
    'qst_1',
    {
      kind: 'routine',
      platformId: platform.id,
      sessionId: null,
      channelId: platform.channelId,
      threadId: null,
      markdown: 'New routine',
      options: [],
      takesText: false,
      approvers: { rule: 'owner_or_allowed' },
      deadlineMs: 0,
      subject: { title: 'routine News' },
    },
    clock.nowMicroseconds(),
  );
  const decision = JSON.stringify({ kind: 'chosen', option: 'allow', by });
  await store.db
    .insertInto('threads_questions')
    .values({ ...question, state: 'decided', decision_json: decision })
    .execute();
  await store.db
    .insertInto('threads_proposals')
    .values({
      question_id: 'qst_1',
      platform_id: platform.id,
      channel_id: platform.channelId,
      draft_json: JSON.stringify({ kind: 'routine', name: 'News', prompt: 'Sum up.', schedule }),
      created_by: OWNER.id,
      creator_name: OWNER.name,
      outcome: null,
    })
    .execute();
  const recover = async (changes: object = {}) => {
    const { at } = await bench.process();
    await createProposals({ ...at, ...changes }).recover();
  };
  const left = () => store.db.selectFrom('threads_proposals').selectAll().execute();
  return { ...bench, recover, left };
}

describeEngines('a yes of before', (engine) => {
  test('is told of once the platform takes posts again, and carried out once', async () => {
    const { store, platform, clock, recover, left, said, settled } = await leftYes(engine);
    platform.failNext('post', 'unavailable');
    await recover();
    await clock.untilSleeping(1);
    expect(said()).toEqual([]);
    expect(await left()).toHaveLength(1);
    await clock.advance(TELL_AGAIN_MS);
    await settled();
    expect(said()).toEqual([expect.stringContaining('**News** is saved')]);
    expect(await left()).toEqual([]);
    await recover();
    expect(await tasksOf(store.db, 'routine')).toHaveLength(1);
  });

  test('waits for a platform that does not even say who the bot is', async () => {
    const { platform, clock, recover, said, settled } = await leftYes(engine);
    let isAway = true;
    const self = async () => {
      if (isAway) throw new PlatformError('unavailable', 'away');
      return platform.self();
    };
    await recover({ people: { isAllowed: () => true, self } });
    await clock.untilSleeping(1);
    isAway = false;
    await clock.advance(TELL_AGAIN_MS);
    await settled();
    expect(said()).toEqual([expect.stringContaining('**News** is saved')]);
  });

  test('to what cannot be read keeps no other from being carried out', async () => {
    const { store, recover, left, said, settled } = await leftYes(engine);
    const [row] = await left();
    const [question] = await store.db.selectFrom('threads_questions').selectAll().execute();
    if (row === undefined || question === undefined) throw new Error('both are there');
    await store.db
      .insertInto('threads_questions')
      .values({ ...question, question_id: 'qst_0' })
      .execute();
    const draft_json = row.draft_json.replace('UTC', 'Mars/Olympus');
    await store.db
      .insertInto('threads_proposals')
      .values({ ...row, question_id: 'qst_0', draft_json })
      .execute();
    await recover();
    await settled();
    expect(said()).toEqual([expect.stringContaining('**News** is saved')]);
  });
});
