import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A secret's file holds one line; anything longer is the wrong file. */
const LARGEST_SECRET_FILE = 65_536;

export type Lookup =
  | { readonly found: 'nothing' }
  | { readonly found: 'value'; readonly value: string; readonly variable: string }
  | { readonly found: 'fault'; readonly variable: string; readonly message: string };

/** A variable that is set to something; empty counts as unset, as compose files and unit files leave it. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === undefined || value === '' ? undefined : value;
}

/** The value of `NAME`, or the content of the file that `NAME_FILE` names, without its last line break. */
export function lookUpSecret(environment: Environment, name: string): Lookup {
  const value = variable(environment, name);
  const fileVariable = `${name}_FILE`;
  const file = variable(environment, fileVariable);
  if (value !== undefined && file !== undefined) {
    return {
      found: 'fault',
      variable: name,
      message: `found both ${name} and ${fileVariable}; accepted: one of them`,
    };
  }
  if (value !== undefined) return { found: 'value', value, variable: name };
  if (file === undefined) return { found: 'nothing' };
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length > LARGEST_SECRET_FILE) {
      return { found: 'fault', variable: fileVariable, message: `${file} is too large to hold a secret` };
    }
    return { found: 'value', value: text.replace(/\r?\n$/, ''), variable: fileVariable };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    return {
      found: 'fault',
      variable: fileVariable,
      message: `cannot read ${file} (${reason}); accepted: a readable file`,
    };
  }
}
