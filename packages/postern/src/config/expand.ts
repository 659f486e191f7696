import { type Environment, lookUpSecret } from './environment.ts';
import { type ConfigProblem, foundAndAccepted } from './problem.ts';

const REFERENCE = /\$\{([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface Expansion {
  readonly values: Record<string, unknown>;
  /** Dotted paths whose value came from the environment, with the text that stood in the file. */
  readonly expanded: ReadonlyMap<string, string>;
  /** Variables that were read, and whether they hold the value themselves: `NAME` does, `NAME_FILE` names its file. */
  readonly variables: ReadonlyMap<string, boolean>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Replaces each `${NAME}` in the file's texts by the variable, or by the content of the file that `NAME_FILE`
 * names. What was put in is not looked at again.
 */
export function expandReferences(
  values: Record<string, unknown>,
  environment: Environment,
  place: (path: readonly PropertyKey[]) => string,
): Expansion {
  const expanded = new Map<string, string>();
  const variables = new Map<string, boolean>();
  const problems: ConfigProblem[] = [];

  const expandText = (text: string, path: readonly PropertyKey[]): string =>
    text.replace(REFERENCE, (reference, name: string) => {
      const refuse = (message: string, fix?: string): string => {
        const more = fix === undefined ? {} : { fix };
        problems.push({ place: place(path), key: path.join('.'), message, ...more });
        return reference;
      };
      if (!NAME.test(name))
        return refuse(foundAndAccepted(`"${reference}"`, 'the name of a variable between the braces'));
      const value = lookUpSecret(environment, name);
      if (value.found === 'fault') return refuse(value.message);
      if (value.found === 'nothing')
        return refuse(
          `found ${reference}, and neither ${name} nor ${name}_FILE is set`,
          `Set ${name} where Postern is started, or ${name}_FILE to the path of a file that holds it`,
        );
      expanded.set(path.join('.'), text);
      variables.set(value.variable, value.variable === name);
      return value.value;
    });

  const walk = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value === 'string') return expandText(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]),
      );
    }
    return value;
  };

  return { values: walk(values, []) as Record<string, unknown>, expanded, variables, problems };
}
