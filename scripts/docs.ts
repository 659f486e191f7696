import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldCodes, preconditionCodes } from '../packages/http/src/index.ts';
import { version } from '../packages/postern/src/version.ts';
import { root } from './lib/paths.ts';
import { commandsPage } from './lib/reference/commands-page.ts';
import { recordExamples } from './lib/reference/recording/run.ts';
import { services } from './lib/reference/services.ts';
import { referenceSite } from './lib/reference/site.ts';
import { commitInWords } from './lib/reference/stamp.ts';

/**
 * `npm run docs`: the reference, made from the code, into `docs/.generated/`. Every example in it is a call that is
 * made now. Exits with 1, and writes nothing, when one fails or no longer fits its operation's schemas.
 */

const TARGET = join(root, 'docs/.generated');

const { examples, faults: failedCalls } = await recordExamples();
const site = referenceSite({
  services,
  examples,
  commit: commitInWords(),
  version,
  more: new Map([['commands.md', commandsPage()]]),
  inside: { validation_failed: fieldCodes, precondition_failed: preconditionCodes },
});

const faults = [...failedCalls, ...site.faults];
if (faults.length > 0) {
  console.error(
    `The reference is not in step with the code:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
  );
  process.exitCode = 1;
} else {
  rmSync(TARGET, { recursive: true, force: true });
  for (const [path, text] of site.pages) {
    const target = join(TARGET, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  console.log(`${site.pages.size} pages in docs/.generated`);
}
