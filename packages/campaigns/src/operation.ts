import type { ProblemCode } from '@postern/http';
import { operationsOf } from '@postern/kit';
import * as z from 'zod';
import type { CampaignsContext, CampaignsRights } from './context.ts';

/** Declares an operation of the campaigns; one a file under `operations/`, where it is found by itself. */
export const operation = operationsOf<CampaignsContext, CampaignsRights, ProblemCode>();

/** REST's way of asking for a dry run; the ten confirm operations alone have it. */
export const dryRunQuery = z.strictObject({
  dry_run: z.boolean().default(false).describe('Check everything, write nothing'),
});

/** MCP's way of asking for the real thing. */
export const confirmField = {
  confirm: z
    .boolean()
    .default(false)
    .describe('true does it; without it the call is a dry run and changes nothing'),
};
