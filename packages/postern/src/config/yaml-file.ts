import { readFileSync, statSync } from 'node:fs';
import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from './problem.ts';

/** Configuration is written by hand; a larger file is something else. */
const LARGEST_FILE = 1_048_576;
/** Expansions of YAML aliases; more is an attack or an accident. */
const MOST_ALIASES = 100;

export interface YamlFile {
  /** As the user named it, for messages. */
  readonly name: string;
  readonly values: Record<string, unknown>;
  /** `name:line` of the key at a path, or of its nearest parent that is in the file. */
  place(path: readonly PropertyKey[]): string;
}

/**
 * Reads a configuration file; null when there is none.
 *
 * @throws ConfigError when it can't be read, is no YAML or is no mapping.
 */
export function readYamlFile(path: string, name: string): YamlFile | null {
  const refuse = (message: string, line?: number): never => {
    throw new ConfigError([{ place: line === undefined ? name : `${name}:${line}`, key: '', message }]);
  };
  let text = '';
  try {
    const { size } = statSync(path);
    if (size > LARGEST_FILE) refuse(`found a file of ${size} bytes; accepted: at most ${LARGEST_FILE}`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    refuse(`cannot be read: ${(error as Error).message}`);
  }

  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  // The library's message quotes the source, which may be a secret; its code does not.
  if (fault !== undefined)
    refuse(`is no valid YAML (${fault.code.toLowerCase().replaceAll('_', ' ')})`, fault.linePos?.[0].line);
  const root = document.contents;
  if (root !== null && !isMap(root) && !(isScalar(root) && root.value === null)) {
    refuse('found no mapping; accepted: sections and settings, each as key: value', 1);
  }
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    refuse('uses YAML aliases in a way that is not accepted');
  }

  return {
    name,
    values: (values ?? {}) as Record<string, unknown>,
    place(path) {
      const offset = offsetOf(root, path);
      return offset === null ? name : `${name}:${lines.linePos(offset).line}`;
    },
  };
}

/** Where the last key of the path, as far as it is in the document, begins. */
function offsetOf(root: Node | null, path: readonly PropertyKey[]): number | null {
  let node: unknown = root;
  let offset: number | null = null;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
      );
      if (pair === undefined) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}
