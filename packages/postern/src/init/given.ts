import { type Environment, lookUpSecret } from '../config/environment.ts';
import { Refusal } from '../secrets/data-folder.ts';
import type { Token } from './answers.ts';

/** What was said by flags and variables, so that it need not be asked. Tokens have no flags: argv is for all to read. */
export interface Given {
  readonly platform?: string | undefined;
  readonly id?: string | undefined;
  readonly url?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly channel?: string | undefined;
  readonly botName?: string | undefined;
  readonly allow?: string | undefined;
  readonly workingDir?: string | undefined;
  readonly permissionMode?: string | undefined;
  /** Whether a platform of the same id may be changed. */
  readonly replace: boolean;
  readonly environment: Environment;
}

/** A token from `NAME`, or from the file that `NAME_FILE` names. @throws Refusal when that cannot be read. */
export function givenToken(environment: Environment, name: string): Token | undefined {
  const found = lookUpSecret(environment, name);
  if (found.found === 'fault') throw new Refusal(`${found.variable}: ${found.message}`);
  return found.found === 'nothing' ? undefined : { value: found.value.trim(), variable: name };
}
