import { discoverOperations } from '@postern/http/mcp';
import type { Operation } from '@postern/kit';
import type { InboxContext, InboxRights } from '../context.ts';
import type { InboxCode } from '../errors.ts';

export type InboxOperation = Operation<InboxContext, InboxRights, InboxCode>;

/** The bundle of the stdio server has this module replaced by plain imports of the same files. */
export const inboxOperations: readonly InboxOperation[] = await discoverOperations<InboxOperation>(
  import.meta.dirname,
);
