import { randomUUID } from 'node:crypto';
import { silentLog } from '@postern/http';
import { systemClock } from '@postern/kit';
import type { Agent } from '../src/agent/agent.ts';
import { claudeAgent } from '../src/agent/claude/claude-agent.ts';
import { bridgeEnvironment } from '../src/bridge/environment.ts';
import { program } from './tools-server.ts';

/** Agents that are processes speaking stream-json, each with its tools' server as a process of its own. */
export function processAgent(command: string, filesDir: string): Agent {
  return claudeAgent({
    command,
    env: process.env,
    filesDir,
    toolsServer: ({ bridge, features }) => ({
      command: process.execPath,
      args: [program],
      env: bridgeEnvironment({ ...bridge, features }),
    }),
    clock: systemClock,
    newUuid: randomUUID,
    log: silentLog,
  });
}
