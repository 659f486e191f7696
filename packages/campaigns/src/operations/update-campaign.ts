import * as z from 'zod';
import { updateCampaign as update } from '../campaigns/campaigns.ts';
import { campaignInput, campaignSchema } from '../campaigns/shapes.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, projectIdField } from '../shapes/common.ts';

export const updateCampaign = operation({
  name: 'update_campaign',
  call: 'Call it to change a campaign before it runs; what you leave out stays, null clears.',
  needs: 'Needs campaigns:write, and a campaign that is draft or scheduled.',
  returns: 'Returns the campaign, a draft: one that was scheduled has to be launched again.',
  http: { method: 'PATCH', path: '/campaigns/:campaign_id' },
  tool: true,
  rights: {
    scope: 'campaigns:write',
    project: 'context',
    references: { list_ids: 'list', segment_id: 'segment', template_id: 'template' },
  },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    campaign_id: campaignIdSchema,
    name: campaignInput.name.optional(),
    list_ids: campaignInput.list_ids.optional(),
    segment_id: campaignInput.segment_id.nullable().optional(),
    from: campaignInput.from.nullable().optional(),
    reply_to: campaignInput.reply_to.nullable().optional(),
    subject: campaignInput.subject.nullable().optional(),
    preheader: campaignInput.preheader.nullable().optional(),
    template_id: campaignInput.template_id.nullable().optional(),
    html: campaignInput.html.nullable().optional(),
    text: campaignInput.text.nullable().optional(),
    tracking: campaignInput.tracking.optional(),
    send_at: campaignInput.send_at.nullable().optional(),
    max_lateness_seconds: campaignInput.max_lateness_seconds.optional(),
    strict_variables: campaignInput.strict_variables.optional(),
    rate_per_second: campaignInput.rate_per_second.nullable().optional(),
  }),
  output: campaignSchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ campaign_id, project_id: _, ...patch }, { ports, caller, projectId }) =>
    update(ports, caller.keyId, projectId, campaign_id, patch),
});
