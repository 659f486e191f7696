import { readFile, stat } from 'node:fs/promises';
import type { AgentLaunch } from '../agent.ts';
import type { Login } from './environment.ts';

/**
 * The login an account of the pool stands for. Rejects with a sentence when its key's file cannot be read or its home
 * is not there: in an empty one the CLI would know none of the account's sessions, and begin them anew.
 */
export async function loginOf(account: AgentLaunch['account']): Promise<Login> {
  if (account?.home !== undefined) {
    const found = await stat(account.home).catch(() => null);
    if (found?.isDirectory() !== true) throw new Error(`The account's home ${account.home} does not exist.`);
    return { home: account.home };
  }
  if (account?.apiKeyFile === undefined) return null;
  try {
    return { apiKey: (await readFile(account.apiKeyFile, 'utf8')).trim() };
  } catch (error) {
    throw new Error(`The account's key file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
