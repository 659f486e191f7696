import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claude } from '../../../../test/external/tool-paths.ts';
import { fakeMessagesApi } from '../../../../test/fakes/messages-api.ts';
import { RecordedSession } from './recorded-session.ts';
import { scenarios } from './scenarios.ts';
import { scrubbed } from './scrub.ts';

/**
 * Records what the real CLI writes, scenario by scenario, into *.jsonl beside this file:
 *
 *     node test/external/install.ts && node packages/threads/test/recordings/record.ts [scenario …]
 *
 * It runs offline against a fake model. Do it again when the CLI's version moves, and read the difference.
 */

const wanted = process.argv.slice(2);
for (const scenario of scenarios) {
  if (wanted.length > 0 && !wanted.includes(scenario.name)) continue;
  const home = mkdtempSync(join(tmpdir(), 'recording-'));
  mkdirSync(join(home, 'work'));
  const api = await fakeMessagesApi();
  const start = (options = {}) =>
    new RecordedSession({ command: claude, home, apiUrl: api.url, sessionId: randomUUID(), ...options });
  try {
    const lines = await scenario.record({ api, start, workingDir: join(home, 'work') });
    api.verify();
    const file = join(import.meta.dirname, `${scenario.name}.jsonl`);
    writeFileSync(file, scrubbed(lines, home));
    console.log(`${scenario.name}: ${lines.length} lines`);
  } finally {
    await api.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
