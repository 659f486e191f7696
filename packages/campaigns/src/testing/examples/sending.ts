import { emitEvents } from '../../webhooks/events.ts';
import type { Examples, Stage } from '../examples.ts';

/** Single e-mails and webhooks. */

const EMAIL = {
  to: 'ana@example.org',
  from: { name: 'Harbour Books', email: 'orders@harbour.example' },
  subject: 'Your order {{ order.number }}',
  text: 'Dear {{ name }}, your order {{ order.number }} is on its way.',
  data: { name: 'Ana', order: { number: '1042' } },
  reference: 'order-1042',
};

async function email({ http, project }: Stage): Promise<{ email_id: string }> {
  const { admin } = await http();
  const { body } = await admin.rest('POST /emails', { project_id: project.project_id, ...EMAIL });
  return { email_id: body.id };
}

const WEBHOOK = {
  url: 'https://hooks.harbour.example/postern',
  events: ['campaign.finished', 'delivery.bounced'],
};

async function webhook({ http, project }: Stage): Promise<{ webhook_id: string }> {
  const { admin } = await http();
  const { body } = await admin.rest('POST /webhooks', { project_id: project.project_id, ...WEBHOOK });
  return { webhook_id: body.id };
}

/** One that its receiver did not want. */
async function delivery(stage: Stage): Promise<{ webhook_id: string; delivery_id: string }> {
  const { webhook_id } = await webhook(stage);
  const { ports, project } = stage;
  const data = {
    campaign_id: 'cmp_01HXYZABCDEFGHJKMNPQRSTVWX',
    name: 'Spring',
    state: 'finished',
    reason: null,
  };
  await ports.store.transaction((tx) =>
    emitEvents(tx, ports, [{ projectId: project.project_id, type: 'campaign.finished', data }]),
  );
  const { delivery_id } = await ports.store.db
    .updateTable('mail_webhook_deliveries')
    .set({ state: 'dead', attempts: 1, response_status: 410, next_attempt_us: null })
    .where('webhook_id', '=', webhook_id)
    .returning('delivery_id')
    .executeTakeFirstOrThrow();
  return { webhook_id, delivery_id };
}

export const examples: Examples = {
  send_email: { arrange: () => EMAIL },
  get_email: { arrange: email },
  list_emails: {
    async arrange(stage) {
      await email(stage);
      return { reference: EMAIL.reference };
    },
  },

  create_webhook: { arrange: () => WEBHOOK },
  list_webhooks: {
    async arrange(stage) {
      await webhook(stage);
      return { limit: 10 };
    },
  },
  get_webhook: { arrange: webhook },
  update_webhook: { arrange: async (stage) => ({ ...(await webhook(stage)), enabled: false }) },
  delete_webhook: { arrange: webhook },
  list_webhook_deliveries: {
    async arrange(stage) {
      const { webhook_id } = await delivery(stage);
      return { webhook_id, state: 'dead' };
    },
  },
  redeliver_webhook: { arrange: delivery },
};
