import { variableNames } from './compiled.ts';
import { writtenLiquid } from './liquid.ts';

/** What a template asks for, read without rendering it. */

/** Names of the variables a template uses and does not give itself. */
export function namesIn(source: string): ReadonlySet<string> {
  return new Set(writtenLiquid.globalVariablesSync(source, { partials: false }));
}

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  subscriber: new Set(['email', 'name', 'attributes']),
  campaign: new Set(['name']),
  list: new Set(['name']),
  project: new Set(['name', 'sender_address']),
};

/** Variables that no mail has; those of attributes can't be told. */
export function unknownNames(source: string): string[] {
  const unknown = new Set<string>();
  for (const [root, property] of writtenLiquid.globalVariableSegmentsSync(source, { partials: false })) {
    if (typeof root !== 'string') continue;
    if (!variableNames.has(root)) unknown.add(root);
    else if (typeof property === 'string' && FIELDS[root]?.has(property) === false)
      unknown.add(`${root}.${property}`);
  }
  return [...unknown];
}
