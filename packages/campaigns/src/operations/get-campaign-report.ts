import * as z from 'zod';
import { campaignReport } from '../campaigns/report.ts';
import { reportSchema } from '../campaigns/report-shapes.ts';
import { operation } from '../operation.ts';
import { campaignIdSchema, projectIdField } from '../shapes/common.ts';

export const getCampaignReport = operation({
  name: 'get_campaign_report',
  call: "Call it to learn what became of a campaign's mails, and what people did with them.",
  needs: 'Needs reports:read; opens and clicks are there where the campaign tracks them.',
  returns:
    'Returns counts by state and reason, opens, clicks by link, bounces, complaints, and all over time.',
  http: { method: 'GET', path: '/campaigns/:campaign_id/report' },
  tool: true,
  rights: { scope: 'reports:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, campaign_id: campaignIdSchema }),
  output: reportSchema,
  errors: ['not_found', 'storage_timeout'],
  handle: ({ campaign_id }, { ports, projectId, signal }) =>
    campaignReport(ports, { projectId, campaignId: campaign_id }, signal),
});
