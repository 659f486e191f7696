import { operationsOf } from '@postern/kit';
import type { InboxContext, InboxRights } from './context.ts';
import type { InboxCode } from './errors.ts';

/** Declares an inbox operation; one a file under `operations/`, where it is found by itself. */
export const operation = operationsOf<InboxContext, InboxRights, InboxCode>();
