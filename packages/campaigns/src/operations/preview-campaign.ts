import * as z from 'zod';
import { previewCampaign as preview } from '../campaigns/preview.ts';
import { renderedSchema } from '../content/shapes.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, projectIdField, subscriberIdSchema } from '../shapes/common.ts';

export const previewCampaign = operation({
  name: 'preview_campaign',
  call: 'Call it to see what a campaign looks like to one subscriber.',
  needs: 'Needs campaigns:write; without subscriber_id it is shown for somebody made up.',
  returns: 'Returns subject, html, text, header fields and warnings; unsubscribe links in it do nothing.',
  http: { method: 'POST', path: '/campaigns/:campaign_id/preview' },
  tool: true,
  rights: { scope: 'campaigns:write', project: 'context', references: { subscriber_id: 'subscriber' } },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    campaign_id: campaignIdSchema,
    subscriber_id: subscriberIdSchema.optional().describe('Whose name and attributes it shows'),
  }),
  output: renderedSchema,
  errors: ['not_found', 'precondition_failed'],
  async handle({ campaign_id, subscriber_id }, { ports, projectId }) {
    const input = { projectId, campaignId: campaign_id, subscriberId: subscriber_id ?? null };
    const { headers, warnings, ...rendered } = await preview(ports, input);
    return { ...rendered, headers: { ...headers }, warnings: [...warnings] };
  },
});
