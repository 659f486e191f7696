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
  /** The product's data folder: sockets and agent files lie in folders of their own below it. */
  readonly dataDir: string;
  /**
   * Folder of what agents may touch: files people sent in, and worktrees. It lies outside of `deniedPaths`, since a
   * rule that denies a folder has no exceptions.
   */
  readonly agentDir: string;
  /** Folders and files no agent may touch: the data folder and the configuration file. */
  readonly deniedPaths: readonly string[];
}
