import type { Log } from '@postern/http';
import type { Clock, NewId } from '@postern/kit';
import type { Store } from '@postern/store';
import type { Audit } from '../audit/audit.ts';
import type { Platform } from '../platforms/platform.ts';
import type { ThreadsTables } from '../tables.ts';
import type { SessionLookup } from './approvers.ts';

export interface QuestionPorts {
  readonly store: Store<ThreadsTables>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly audit: Audit;
  readonly sessions: SessionLookup;
  /** The platform of an id; null where it does not run in this process. */
  platform(platformId: string): Platform | null;
}
