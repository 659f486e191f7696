import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '@postern/kit';
import { writeBackup } from '../../backup/write.ts';
import { Refusal } from '../../secrets/data-folder.ts';
import { DONE, type Invocation } from '../command.ts';

/**
 * `postern backup FILE`: reads the database and files directly, which does no harm to a server that runs on
 * them and costs it nothing.
 */
export async function backup(invocation: Invocation): Promise<number> {
  const [file = ''] = invocation.arguments;
  const target = resolve(invocation.workingDirectory, file);
  if (existsSync(target) && !invocation.has('force')) {
    throw new Refusal(`${file} exists; --force replaces it`);
  }
  const config = await invocation.hubConfig();
  const engine = config.databaseUrl === null ? 'sqlite' : 'postgres';
  const { files } = await writeBackup({
    dataDir: config.dataDir,
    target,
    engine,
    clock: systemClock,
  }).catch((error: unknown) => {
    throw isFileFault(error)
      ? new Refusal(
          `${file} cannot be written: ${error.message}; name a file where there is room and a right to write`,
        )
      : error;
  });
  const bytes = files.reduce((total, entry) => total + entry.size, 0);
  invocation.say(
    `${file}: ${files.length} files, ${bytes} bytes before compression. It holds secrets: keep it as safe as the data folder.`,
  );
  if (engine === 'postgres') {
    invocation.say(
      'It covers the secrets of the data folder only. Messages, attachments and settings are in PostgreSQL: save them with pg_dump --format=custom, restore them with pg_restore.',
    );
  }
  const given = [config.adminKey && 'the admin key', config.bearerToken && 'the inbox bearer'].filter(
    (name) => name !== null,
  );
  if (given.length > 0) {
    invocation.say(
      `Not in it, as the configuration gives ${given.length === 1 ? 'it' : 'them'}: ${given.join(' and ')}.`,
    );
  }
  return DONE;
}

/** Whether the file system refused something; its message has the reason. */
function isFileFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
