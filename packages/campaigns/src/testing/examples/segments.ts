import type { Examples, Stage } from '../examples.ts';

/** Segments. */

const condition = {
  all: [
    { field: 'attributes.city', op: 'in', value: ['Porto', 'Lisbon'] },
    { not: { field: 'created_at', op: 'within_days', value: 7 } },
  ],
};

async function segment(stage: Stage): Promise<{ segment_id: string }> {
  const { ports, project, clock } = stage;
  const segment_id = ports.newId('seg');
  const now = clock.nowMicroseconds();
  await ports.store.db
    .insertInto('mail_segments')
    .values({
      segment_id,
      project_id: project.project_id,
      name: 'Readers by the sea',
      condition_json: JSON.stringify(condition),
      created_us: now,
      updated_us: now,
    })
    .execute();
  return { segment_id };
}

export const examples: Examples = {
  create_segment: { arrange: () => ({ name: 'Readers by the sea', condition }) },
  list_segments: {
    async arrange(stage) {
      await segment(stage);
      return { limit: 10 };
    },
  },
  get_segment: { arrange: segment },
  update_segment: { arrange: async (stage) => ({ ...(await segment(stage)), name: 'By the sea' }) },
  delete_segment: { arrange: segment },
  count_segment: {
    async arrange(stage) {
      const list = await stage.makeList(stage.project.project_id, { name: 'Newsletter' });
      await stage.makeSubscriber(list, { attributes_json: '{"city":"Porto"}' });
      await stage.makeSubscriber(list, { attributes_json: '{"city":"Faro"}' });
      return { condition: { field: 'attributes.city', op: 'eq', value: 'Porto' }, list_ids: [list.list_id] };
    },
  },
};
