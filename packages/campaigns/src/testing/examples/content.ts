import { fakeDns } from '../../domains/testing/fake-dns.ts';
import { makeCampaign } from '../../engine/testing/campaigns.ts';
import type { Examples, Stage } from '../examples.ts';

/** Templates, campaigns and sending domains. */

const HTML =
  '<h1>Spring</h1><p>Dear {{ subscriber.name | default: "reader" }},</p><a href="{{ unsubscribe_url }}">Leave</a>';

/** Makes something by its own call, and gives its id. */
async function make({ http, project }: Stage, line: string, body: object): Promise<string> {
  const { admin } = await http();
  const { id } = (await admin.rest(`POST ${line}`, { project_id: project.project_id, ...body })).body;
  return id;
}

const template = (stage: Stage) =>
  make(stage, '/templates', { name: 'Monthly', subject: 'News of {{ campaign.name }}', html: HTML });

async function audience(stage: Stage): Promise<string> {
  const list = await stage.makeList(stage.project.project_id, {
    name: 'Newsletter',
    from_name: 'Harbour Books',
    from_email: 'news@harbour.example',
  });
  await stage.makeSubscriber(list, { email: 'ana@example.org', name: 'Ana Lima' });
  await stage.makeSubscriber(list, { status: 'unsubscribed' });
  return list.list_id;
}

async function campaign(stage: Stage): Promise<{ campaign_id: string }> {
  const fields = { name: 'Spring', list_ids: [await audience(stage)], subject: 'Spring is here', html: HTML };
  return { campaign_id: await make(stage, '/campaigns', fields) };
}

async function running(stage: Stage): Promise<{ campaign_id: string }> {
  const { campaign_id } = await makeCampaign(stage.ports, stage.project.project_id, [await audience(stage)]);
  return { campaign_id };
}

async function domain(stage: Stage): Promise<{ domain_id: string }> {
  return { domain_id: await make(stage, '/sending-domains', { domain: 'harbour.example' }) };
}

export const examples: Examples = {
  create_template: {
    arrange: () => ({ name: 'Monthly', subject: 'News of {{ campaign.name }}', html: HTML }),
  },
  list_templates: {
    async arrange(stage) {
      await template(stage);
      return { limit: 10 };
    },
  },
  get_template: { arrange: async (stage) => ({ template_id: await template(stage) }) },
  update_template: {
    arrange: async (stage) => ({ template_id: await template(stage), subject: null, text: 'Hello' }),
  },
  delete_template: { arrange: async (stage) => ({ template_id: await template(stage) }) },
  render_template: {
    arrange: async (stage) => ({
      template_id: await template(stage),
      data: { subscriber: { name: 'Ana Lima' }, campaign: { name: 'Spring' } },
    }),
  },

  create_campaign: {
    arrange: async (stage) => ({
      name: 'Spring',
      list_ids: [await audience(stage)],
      subject: 'Spring is here, {{ subscriber.name }}',
      preheader: 'New books for long evenings',
      html: HTML,
      tracking: { opens: 'off', clicks: 'anonymous' },
    }),
  },
  list_campaigns: {
    async arrange(stage) {
      await campaign(stage);
      return { state: 'draft', limit: 10 };
    },
  },
  get_campaign: { arrange: campaign },
  update_campaign: {
    arrange: async (stage) => ({
      ...(await campaign(stage)),
      from: { name: 'Harbour Books', email: 'spring@harbour.example' },
      send_at: '2100-05-01T07:00:00Z',
    }),
  },
  duplicate_campaign: { arrange: async (stage) => ({ ...(await campaign(stage)), name: 'Summer' }) },
  delete_campaign: { arrange: campaign },
  preview_campaign: { arrange: campaign },
  send_test_campaign: {
    arrange: async (stage) => ({ ...(await campaign(stage)), to: ['editor@harbour.example'] }),
  },
  launch_campaign: { arrange: campaign },
  pause_campaign: { arrange: running },
  cancel_campaign: { arrange: running },
  get_campaign_report: { arrange: running },
  list_campaign_deliveries: { arrange: running },

  create_sending_domain: { arrange: () => ({ domain: 'harbour.example' }) },
  list_sending_domains: {
    async arrange(stage) {
      await domain(stage);
      return { limit: 10 };
    },
  },
  get_sending_domain: { arrange: domain },
  verify_sending_domain: {
    async arrange(stage) {
      // A name server that knows nothing yet, as the world does before the records are set.
      const { address } = await fakeDns();
      (stage.ports.dnsServers as string[]).push(address);
      return domain(stage);
    },
  },
  delete_sending_domain: { arrange: domain },
};
