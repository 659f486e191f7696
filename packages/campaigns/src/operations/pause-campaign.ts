import * as z from 'zod';
import { pauseCampaign as pause } from '../campaigns/hold.ts';
import { campaignSchema } from '../campaigns/shapes.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, projectIdField } from '../shapes/common.ts';

export const pauseCampaign = operation({
  name: 'pause_campaign',
  call: 'Call it to hold a running campaign; mails already handed to the server still go out.',
  needs: 'Needs campaigns:launch, and a campaign that is running; launch_campaign resumes it.',
  returns: 'Returns the campaign, now paused, with its counts.',
  http: { method: 'POST', path: '/campaigns/:campaign_id/pause' },
  tool: true,
  rights: { scope: 'campaigns:launch', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, campaign_id: campaignIdSchema }),
  output: campaignSchema,
  errors: ['not_found', 'precondition_failed'],
  handle: ({ campaign_id }, { ports, caller, projectId }) =>
    pause(ports, caller.keyId, projectId, campaign_id),
});
