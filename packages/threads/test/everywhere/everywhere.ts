import { describe } from 'vitest';
import { direct } from './direct.ts';
import { memory } from './memory.ts';
import { messages } from './messages.ts';
import { restarts } from './restarts.ts';
import type { MakeHarness } from './stage.ts';
import { standingTasks } from './standing-tasks.ts';
import { twoProcesses } from './two-processes.ts';
import { whoDecides } from './who-decides.ts';

/** So many processes begin and end in one test; a busy machine takes its time. */
const TIMEOUT_MS = 120_000;

/** One set of scenarios for every platform: what the service does in front of people, whatever is behind it. */
export function everywhere(platform: string, makeHarness: MakeHarness): void {
  describe(`on ${platform}`, { timeout: TIMEOUT_MS }, () => {
    whoDecides(makeHarness);
    restarts(makeHarness);
    messages(makeHarness);
    standingTasks(makeHarness);
    memory(makeHarness);
    direct(makeHarness);
    twoProcesses(makeHarness);
  });
}
