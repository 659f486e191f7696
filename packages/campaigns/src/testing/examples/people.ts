import type { ListTable, SubscriberTable } from '../../tables.ts';
import type { Examples, Stage } from '../examples.ts';

/** Subscribers and suppressions. */

function list(stage: Stage): Promise<ListTable> {
  return stage.makeList(stage.project.project_id, { name: 'Newsletter' });
}

function ana(stage: Stage, on: ListTable, row: Partial<SubscriberTable> = {}): Promise<SubscriberTable> {
  return stage.makeSubscriber(on, {
    email: 'ana@example.org',
    name: 'Ana Lima',
    attributes_json: '{"city":"Porto"}',
    ...row,
  });
}

async function anaOnList(stage: Stage): Promise<{ subscriber_id: string }> {
  const { subscriber_id } = await ana(stage, await list(stage));
  return { subscriber_id };
}

async function suppression({ http, project }: Stage): Promise<string> {
  const { admin } = await http();
  const { body } = await admin.rest('POST /suppressions', {
    project_id: project.project_id,
    email: 'no-more@example.org',
    note: 'Asked by telephone',
  });
  return body.suppression.id;
}

export const examples: Examples = {
  add_subscriber: {
    arrange: async (stage) => ({
      list_id: (await list(stage)).list_id,
      email: 'ana@example.org',
      name: 'Ana Lima',
      attributes: { city: 'Porto', orders: 3 },
      evidence: 'Signed the card in the shop on 2026-04-25',
    }),
  },
  import_subscribers: {
    async arrange(stage) {
      const on = await list(stage);
      await ana(stage, on);
      return {
        list_id: on.list_id,
        records: [
          { email: 'Ana@Example.org', attributes: { city: 'Lisbon' } },
          { email: 'bo@example.org', name: 'Bo' },
          { email: 'bo@EXAMPLE.org' },
          { email: 'nobody' },
        ],
      };
    },
  },
  list_subscribers: {
    async arrange(stage) {
      const on = await list(stage);
      await ana(stage, on);
      return { list_id: on.list_id, status: 'subscribed', name: 'lima', limit: 10 };
    },
  },
  get_subscriber: { arrange: anaOnList },
  find_subscriber: {
    async arrange(stage) {
      const on = await list(stage);
      await ana(stage, on);
      return { list_id: on.list_id, email: 'ANA@example.org' };
    },
  },
  update_subscriber: {
    arrange: async (stage) => ({
      ...(await anaOnList(stage)),
      name: 'Ana Lima Reis',
      attributes: { city: null, orders: 4 },
    }),
  },
  unsubscribe_subscriber: {
    arrange: async (stage) => ({ ...(await anaOnList(stage)), reason: 'Too many mails' }),
  },
  erase_subscriber: { arrange: anaOnList },

  list_suppressions: {
    async arrange(stage) {
      await suppression(stage);
      return { reason: 'manual', limit: 10 };
    },
  },
  get_suppression: { arrange: async (stage) => ({ suppression_id: await suppression(stage) }) },
  add_suppression: {
    async arrange(stage) {
      await anaOnList(stage);
      return { email: 'ana@example.org', note: 'Asked by telephone' };
    },
  },
  remove_suppression: { arrange: async (stage) => ({ suppression_id: await suppression(stage) }) },
};
