import { fileURLToPath } from 'node:url';
import { runInboxStdio } from '@postern/inbox/stdio';
import type { Invocation } from '../command.ts';

/** Folder of this checkout, whose `data` folder is looked at last for a generated token. */
const installation = fileURLToPath(new URL('../../../../..', import.meta.url));

/** `postern mcp inbox` from the sources; with the bundle there, bin/postern.js does not come here. */
export async function mcpInbox({ environment, option }: Invocation): Promise<number> {
  const dataDir = option('data-dir');
  return runInboxStdio(
    dataDir === undefined ? environment : { ...environment, POSTERN_DATA_DIR: dataDir },
    installation,
  );
}
