import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../../../bin/postern.js', import.meta.url));

/** What an agent program on this machine starts for the inbox's tools over stdio: a program and its arguments. */
export const inboxCommand: readonly [program: string, ...args: string[]] = [
  process.execPath,
  LAUNCHER,
  'mcp',
  'inbox',
];

/** What the agent CLI starts for the tools of a session. */
export const threadsCommand: readonly [program: string, ...args: string[]] = [
  process.execPath,
  LAUNCHER,
  'mcp',
  'threads',
];

/** What a service manager starts. */
export const serveCommand: readonly [program: string, ...args: string[]] = [
  process.execPath,
  LAUNCHER,
  'serve',
];
