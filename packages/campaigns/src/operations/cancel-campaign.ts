import * as z from 'zod';
import { cancelCampaign as cancel, cancelOutcomes } from '../campaigns/hold.ts';
import { campaignSchema } from '../campaigns/shapes.ts';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { campaignIdSchema, effectSchema, projectIdField } from '../shapes/common.ts';

const input = z.strictObject({ ...projectIdField, campaign_id: campaignIdSchema });

export const cancelCampaign = operation({
  name: 'cancel_campaign',
  call: 'Call it to stop a campaign for good; mails already handed to the server still go out.',
  needs:
    'Needs campaigns:launch, a campaign that is scheduled, running or paused, and confirm: true to do it.',
  returns: 'Returns the outcome, how many mails are dropped, and the campaign.',
  http: { method: 'POST', path: '/campaigns/:campaign_id/cancel' },
  tool: true,
  rights: { scope: 'campaigns:launch', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({ outcome: z.enum(cancelOutcomes), effect: effectSchema, campaign: campaignSchema }),
  errors: ['not_found', 'precondition_failed'],
  handle: ({ campaign_id }, { ports, caller, projectId, dryRun }) =>
    cancel(ports, caller.keyId, projectId, campaign_id, dryRun),
});
