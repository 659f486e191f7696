import * as z from 'zod';
import { launchCampaign as launch, launchOutcomes } from '../campaigns/launch.ts';
import { campaignSchema } from '../campaigns/shapes.ts';
import { confirmField, dryRunQuery, operation } from '../operation.ts';
import { campaignIdSchema, effectSchema, projectIdField } from '../shapes/common.ts';

const input = z.strictObject({ ...projectIdField, campaign_id: campaignIdSchema });

export const launchCampaign = operation({
  name: 'launch_campaign',
  call: 'Call it to send a campaign, now or at its send_at, or to resume a paused one; first without confirm.',
  needs:
    'Needs campaigns:launch, a campaign that is draft, scheduled or paused and ready to go, and confirm: true to do it.',
  returns:
    'Returns the outcome, how many get it and how many are left out for each reason, and the campaign.',
  http: { method: 'POST', path: '/campaigns/:campaign_id/launch' },
  tool: true,
  rights: { scope: 'campaigns:launch', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  input,
  restOnly: dryRunQuery,
  toolInput: input.extend(confirmField),
  output: z.strictObject({ outcome: z.enum(launchOutcomes), effect: effectSchema, campaign: campaignSchema }),
  errors: ['not_found', 'precondition_failed', 'storage_timeout'],
  handle: ({ campaign_id }, { ports, caller, projectId, dryRun, signal }) =>
    launch(ports, campaign_id, { actor: caller.keyId, projectId, dryRun, signal }),
});
