import { makeCampaign } from '../../engine/testing/campaigns.ts';
import type { DeliveryState } from '../../tables.ts';
import { campaignsBench } from '../../testing/bench.ts';
import { tokensOf } from '../../tokens.ts';

/** People of two lists to whom a mail each was sent, and what is known of them afterwards. */
export async function bounceBench(engine: 'sqlite' | 'postgres', people = 1, state: DeliveryState = 'sent') {
  const bench = await campaignsBench(engine, { config: { bounces: { smtp: { port: 0 } } } });
  const { ports, clock } = bench;
  const tokens = tokensOf(ports.installationKey);
  const project = await bench.makeProject();
  const [list, other] = [await bench.makeList(project.project_id), await bench.makeList(project.project_id)];
  await ports.store.db
    .insertInto('mail_webhooks')
    .values({
      webhook_id: ports.newId('whk'),
      project_id: project.project_id,
      url: 'https://hooks.invalid/',
      events: 'delivery.bounced delivery.complained',
      enabled: 1,
      secret_sealed: 'none',
      created_us: 0,
      updated_us: 0,
    })
    .execute();
  const deliveries: { id: string; to: string; email_key: string }[] = [];
  for (let index = 0; index < people; index += 1) {
    const email = `p${index}@example.org`;
    const { subscriber_id } = await bench.makeSubscriber(list, { email });
    await bench.makeSubscriber(other, { email });
    deliveries.push(await send(email, subscriber_id));
  }

  const [first] = deliveries;
  if (first === undefined) throw new Error('Somebody has to be there');

  /** One more mail to a person, in a campaign of its own. */
  async function send(email: string, subscriberId: string) {
    clock.set(clock.nowMicroseconds() + 1_000);
    const { campaign_id } = await makeCampaign(ports, project.project_id, [list.list_id]);
    const id = ports.newId('dlv');
    const now = clock.nowMicroseconds();
    await ports.store.db
      .insertInto('mail_deliveries')
      .values({
        delivery_id: id,
        project_id: project.project_id,
        campaign_id,
        email_key: email,
        subscriber_id: subscriberId,
        list_id: list.list_id,
        email,
        state,
        reason: null,
        attempts: 1,
        due_us: now,
        lease_until_us: null,
        claimed_by: 'w',
        smtp_reply: '250 ok',
        message_id: `${tokens.messageId(id)}@example.com`,
        sent_us: now,
        updated_us: now,
      })
      .execute();
    await ports.store.db
      .insertInto('mail_campaign_counts')
      .values({ campaign_id, state, total: 1 })
      .execute();
    const to = `${tokens.bounce(id)}@bounce.example.com`;
    return { id, to, email_key: email, campaign_id };
  }

  return {
    ...bench,
    project,
    list,
    first,
    deliveries,
    send,
    suppressions: async () =>
      ports.store.db
        .selectFrom('mail_suppressions')
        .select(['email', 'reason', 'source'])
        .where('project_id', '=', project.project_id)
        .execute(),
    statuses: async () => {
      const rows = await ports.store.db.selectFrom('mail_subscribers').select('status').execute();
      return rows.map((row) => row.status);
    },
    row: async (id: string) =>
      ports.store.db
        .selectFrom('mail_deliveries')
        .selectAll()
        .where('delivery_id', '=', id)
        .executeTakeFirstOrThrow(),
    events: async () => {
      const rows = await ports.store.db.selectFrom('mail_webhook_deliveries').select('event').execute();
      return rows.map((row) => row.event);
    },
  };
}
