import { readFile } from 'node:fs/promises';
import type { AgentLaunch } from '../agent.ts';
import type { Login } from './environment.ts';

/** The login an account of the pool stands for. Rejects when its key's file cannot be read. */
export async function loginOf(account: AgentLaunch['account']): Promise<Login> {
  if (account?.home !== undefined) return { home: account.home };
  if (account?.apiKeyFile === undefined) return null;
  return { apiKey: (await readFile(account.apiKeyFile, 'utf8')).trim() };
}
