import { isAbsolute, resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { Refusal } from '../secrets/data-folder.ts';

/** What is settled elsewhere in a unit, or by flags that are gone when it starts. */
const SETTLED = new Set(['POSTERN_DATA_DIR', 'POSTERN_CONFIG']);

/**
 * Variables that a service needs so that it reads what this shell reads. A service manager starts it without the
 * shell's own, and what stands in a unit is for everybody to read who may look at the service.
 *
 * @throws Refusal when a secret is in the environment of this shell alone.
 */
export function serviceEnvironment(
  { config, variables }: Pick<LoadedConfig, 'config' | 'variables'>,
  { workingDirectory, path }: { readonly workingDirectory: string; readonly path: string },
): Record<string, string> {
  const secrets = variables.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  const [first] = secrets;
  if (first !== undefined) {
    throw new Refusal(
      `${secrets.join(', ')} ${secrets.length === 1 ? 'is' : 'are'} set in this shell, where a service does not see it. Write the value into a file that is yours alone, and give its path in the place of the value: ${first}_FILE=/path/to/file`,
    );
  }
  const given = variables
    .filter(({ name }) => !SETTLED.has(name))
    .map(({ name, value }) => [
      name,
      name.endsWith('_FILE') && !isAbsolute(value) ? resolve(workingDirectory, value) : value,
    ]);
  return {
    POSTERN_DATA_DIR: config.dataDir,
    ...(config.file === null ? {} : { POSTERN_CONFIG: config.file }),
    ...Object.fromEntries(given),
    // The agent CLI and git are looked up in it.
    PATH: path,
  };
}
