import { stat } from 'node:fs/promises';
import type { AgentLaunch } from '../agent/agent.ts';
import type { ThreadsConfig } from '../config.ts';

/** Account of the pool by its id; null is the operator's own. */
export function accountOf(
  config: Pick<ThreadsConfig, 'claudeAccounts'>,
  accountId: string | null,
): AgentLaunch['account'] {
  const account = config.claudeAccounts.find((each) => each.id === accountId);
  if (!account) return null;
  return {
    ...(account.home === undefined ? {} : { home: account.home }),
    ...(account.apiKeyFile === undefined ? {} : { apiKeyFile: account.apiKeyFile }),
  };
}

export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
