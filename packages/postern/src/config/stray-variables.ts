import { nearest } from '../cli/nearest.ts';
import type { Environment } from './environment.ts';
import { otherVariables, type Setting, settings } from './settings.ts';

/** Variables of the environment that look like settings and have no effect: slips of the pen. */
export function strayVariables(environment: Environment): string[] {
  const known = (settings as readonly Setting[]).flatMap((setting) =>
    setting.secret ? [setting.variable, `${setting.variable}_FILE`] : [setting.variable],
  );
  const all = new Set([...known, ...otherVariables]);
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value === '') continue;
    if (name.startsWith('POSTERN_') && !all.has(name)) {
      const guess = nearest(name, [...all]);
      warnings.push(
        `${name} is no setting and has no effect${guess === null ? '' : `; did you mean ${guess}?`}`,
      );
    }
  }
  return warnings;
}
