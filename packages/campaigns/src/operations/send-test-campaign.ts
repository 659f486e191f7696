import * as z from 'zod';
import { sendTestCampaign as send } from '../campaigns/test-send.ts';
import { operation } from '../operation.ts';
import { addressSchema } from '../shapes/address.ts';
import { campaignIdSchema, projectIdField, subscriberIdSchema } from '../shapes/common.ts';

const MOST_ADDRESSES = 10;

export const sendTestCampaign = operation({
  name: 'send_test_campaign',
  call: 'Call it to mail a campaign to yourself before it is launched, as one subscriber would get it.',
  needs: 'Needs campaigns:launch, a sender and a body; without subscriber_id it shows somebody made up.',
  returns: 'Returns the addresses it goes to. It counts nowhere, and its unsubscribe links do nothing.',
  http: { method: 'POST', path: '/campaigns/:campaign_id/test' },
  tool: true,
  rights: { scope: 'campaigns:launch', project: 'context', references: { subscriber_id: 'subscriber' } },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  input: z.strictObject({
    ...projectIdField,
    campaign_id: campaignIdSchema,
    to: z
      .union([addressSchema, z.array(addressSchema).min(1).max(MOST_ADDRESSES)])
      .describe('An address, or up to 10'),
    subscriber_id: subscriberIdSchema.optional().describe('Whose name and attributes it shows'),
  }),
  output: z.strictObject({ sent_to: z.array(z.string()) }),
  errors: ['not_found', 'precondition_failed'],
  async handle({ campaign_id, to, subscriber_id }, { ports, caller, projectId }) {
    const sent_to = await send(ports, caller.keyId, {
      projectId,
      campaignId: campaign_id,
      subscriberId: subscriber_id ?? null,
      to: [to].flat(),
    });
    return { sent_to };
  },
});
