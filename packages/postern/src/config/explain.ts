import type * as z from 'zod';
import { nearest } from '../cli/nearest.ts';
import { weaknessOf } from '../secrets/strength.ts';
import { acceptedAt, keysAt, listInWords } from './accepted.ts';
import { type ConfigProblem, foundAndAccepted } from './problem.ts';
import { fileSchema } from './schema.ts';
import { laterSections, settings } from './settings.ts';

/** Where values came from. */
export interface Origins {
  placeInFile(path: readonly PropertyKey[]): string;
  /** Paths in the file that came from the environment, with the text that stands there. */
  readonly expanded: ReadonlyMap<string, string>;
  /** Paths that a flag or a variable set. */
  readonly overlaid: ReadonlyMap<string, { readonly place: string; readonly key: string }>;
}

const LONGEST_SHOWN = 60;
/** Names of keys whose value is never shown; wide on purpose. */
const SECRET_NAME = /secret|token|password|apikey|adminkey|databaseurl/i;
/** Addresses that carry a password. */
const SECRET_PATH = /^(?:smtpUrl|campaigns\.smtp\.\d+\.url)$/;

const strengthChecked = new Set<string>(['adminKey', 'inbox.bearerToken']);

/** Each zod issue as a problem: where, which key, what was found, what is accepted. */
export function problemsOf(error: z.ZodError, values: unknown, origins: Origins): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) problems.push(unknownKey([...issue.path, key], values, origins));
    } else {
      problems.push(problemAt(issue.path, foundAt(issue.path, values, origins), acceptedBy(issue), origins));
    }
  }
  return problems;
}

/** A problem at a path, named the way its source names it. */
export function problemAt(
  path: readonly PropertyKey[],
  found: string,
  accepted: string,
  origins: Origins,
): ConfigProblem {
  const key = path.join('.');
  const overlaid = origins.overlaid.get(key);
  return {
    place: overlaid?.place ?? origins.placeInFile(path),
    key: overlaid?.key ?? key,
    message: foundAndAccepted(found, accepted),
  };
}

function unknownKey(path: readonly PropertyKey[], values: unknown, origins: Origins): ConfigProblem {
  const key = path.join('.');
  const later = laterSections[key];
  const message =
    later === undefined
      ? foundAndAccepted('an unknown key', suggestKeys(path, values))
      : `found a setting for which this version has no use; ${later} not part of it`;
  return { place: origins.placeInFile(path), key, message };
}

function suggestKeys(path: readonly PropertyKey[], values: unknown): string {
  const holder = path.slice(0, -1);
  const known = keysAt(fileSchema, holder, valueAt(holder, values));
  const guess = nearest(String(path.at(-1)), known);
  return `${listInWords(known)}${guess === null ? '' : ` (did you mean ${guess}?)`}`;
}

function acceptedBy(issue: z.core.$ZodIssue): string {
  // A message of our own says more than the type does.
  const own = /^must be (.*)$/.exec(issue.message);
  return own?.[1] ?? acceptedAt(fileSchema, issue.path);
}

function foundAt(path: readonly PropertyKey[], values: unknown, origins: Origins): string {
  const value = valueAt(path, values);
  const key = path.join('.');
  const written = origins.expanded.get(key);
  if (typeof value === 'string' && strengthChecked.has(key)) return weaknessOf(value) ?? 'another secret';
  if (written !== undefined) return `${JSON.stringify(written)} with ${kindOf(value)} in the environment`;
  return isSecret(path) ? kindOf(value) : shown(value);
}

function valueAt(path: readonly PropertyKey[], values: unknown): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined,
    values,
  );
}

function isSecret(path: readonly PropertyKey[]): boolean {
  const key = path.join('.');
  const setting = settings.find((candidate) => candidate.key === key);
  if (setting !== undefined && 'secret' in setting) return true;
  return SECRET_PATH.test(key) || path.some((step) => SECRET_NAME.test(String(step)));
}

function shown(value: unknown): string {
  if (typeof value === 'string' && value.length <= LONGEST_SHOWN) return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a mapping';
  return `a ${typeof value}`;
}
