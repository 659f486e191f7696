import type { ProblemCode } from '@postern/http';
import { operationsOf } from '@postern/kit';
import type { SessionPorts } from './sessions.ts';

/** What the console's own API works with. */
export interface ConsoleContext {
  readonly sessions: SessionPorts;
  readonly version: string;
  publicUrl(): string;
  /** Services of this process, and whether each runs. */
  readonly services: { readonly inbox: boolean; readonly threads: boolean; readonly campaigns: boolean };
  /** What an agent program on this machine starts for the inbox's tools: a program and its arguments. */
  readonly inboxCommand: readonly string[];
  header(name: string): string | undefined;
}

/** `anyone` needs no credential; `admin` an admin key or a login. */
export type ConsoleRights = 'anyone' | 'admin';

export const operation = operationsOf<ConsoleContext, ConsoleRights, ProblemCode>();

/** Whether browsers reach us by https, so that the cookie may be kept to it. */
export function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
