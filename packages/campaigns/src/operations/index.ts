import type { ProblemCode } from '@postern/http';
import { discoverOperations } from '@postern/http/mcp';
import type { Operation } from '@postern/kit';
import type { CampaignsContext, CampaignsRights } from '../context.ts';

export type CampaignsOperation = Operation<CampaignsContext, CampaignsRights, ProblemCode>;

export const campaignsOperations: readonly CampaignsOperation[] =
  await discoverOperations<CampaignsOperation>(import.meta.dirname);
