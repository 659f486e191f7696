import * as z from 'zod';
import { createCampaign as create } from '../campaigns/campaigns.ts';
import { campaignInput, campaignSchema } from '../campaigns/shapes.ts';
import { operation } from '../operation.ts';
import { projectIdField } from '../shapes/common.ts';

export const createCampaign = operation({
  name: 'create_campaign',
  call: 'Call it to draft a mail to the subscribers of one or more lists; nothing is sent before a launch.',
  needs: 'Needs campaigns:write, and lists, segment and template of the project where they are named.',
  returns: 'Returns the campaign, a draft.',
  http: { method: 'POST', path: '/campaigns', status: 201 },
  tool: true,
  rights: {
    scope: 'campaigns:write',
    project: 'context',
    references: { list_ids: 'list', segment_id: 'segment', template_id: 'template' },
  },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    name: campaignInput.name,
    list_ids: campaignInput.list_ids.default([]),
    segment_id: campaignInput.segment_id.nullable().default(null),
    from: campaignInput.from.nullable().default(null),
    reply_to: campaignInput.reply_to.nullable().default(null),
    subject: campaignInput.subject.nullable().default(null),
    preheader: campaignInput.preheader.nullable().default(null),
    template_id: campaignInput.template_id.nullable().default(null),
    html: campaignInput.html.nullable().default(null),
    text: campaignInput.text.nullable().default(null),
    tracking: campaignInput.tracking.prefault({}),
    send_at: campaignInput.send_at.nullable().default(null),
    max_lateness_seconds: campaignInput.max_lateness_seconds.default(3_600),
    strict_variables: campaignInput.strict_variables.default(false),
    rate_per_second: campaignInput.rate_per_second.nullable().default(null),
  }),
  output: campaignSchema,
  errors: [],
  handle: (input, { ports, caller, projectId }) => create(ports, caller.keyId, projectId, input),
});
