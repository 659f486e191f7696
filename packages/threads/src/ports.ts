import type { Log } from '@postern/http';
import type { Clock, NewId, Random } from '@postern/kit';
import type { Store } from '@postern/store';
import type { Agent } from './agent/agent.ts';
import type { Audit } from './audit/audit.ts';
import type { ThreadsTables } from './tables.ts';

/** All that the service takes from outside. */
export interface ThreadsPorts {
  readonly store: Store<ThreadsTables>;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly log: Log;
  readonly agent: Agent;
  readonly audit: Audit;
  /** The product's data folder: sockets, uploads and agent files lie in folders of their own below it. */
  readonly dataDir: string;
  /** Folders and files no agent may touch: the data folder and the configuration file. */
  readonly deniedPaths: readonly string[];
}
