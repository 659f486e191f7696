import { sanitizeName } from '@postern/kit';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { Refusal } from '../secrets/data-folder.ts';
import type { Draft, NamedId, Token } from './answers.ts';

/** The `threads:` section within the text of postern.yaml, which is otherwise left as it stands. */
export interface ThreadsDocument {
  /** Ids of the platforms there are, with what they are. */
  readonly platforms: ReadonlyMap<string, string>;
  /** As it stands in the file; null: not yet. */
  readonly workingDir: string | null;
  setWorkingDir(folder: string): void;
  /** Adds a platform, or changes the one of its id: what is not asked for stays as it was, within the same kind. */
  put(draft: Draft): void;
  toString(): string;
}

const HEADING =
  ' Settings of Postern; docs/configuration.md and docs/threads.md tell all of them. Restart it after a change.';

/** @throws Refusal when the text is no YAML, or `threads` has a shape that cannot be added to. */
export function threadsDocument(text: string | null, name: string): ThreadsDocument {
  const document = parseDocument(text ?? '');
  const [fault] = document.errors;
  if (fault !== undefined) {
    const line = fault.linePos?.[0].line;
    const place = line === undefined ? name : `${name}:${line}`;
    // The library's message quotes the source, which may be a secret; its code does not.
    throw new Refusal(
      `${place} is no valid YAML (${fault.code.toLowerCase().replaceAll('_', ' ')}); correct it first`,
    );
  }
  if (text === null) document.commentBefore = HEADING;
  mapAt(document, [], name);
  const threads = mapAt(document, ['threads'], name);
  const list = listOf(document, threads, name);
  const rows = (): YAMLMap[] => list.items.filter((item) => isMap(item));

  return {
    platforms: new Map(rows().map((row) => [String(row.get('id')), String(row.get('type'))])),
    workingDir: textIn(threads, 'workingDir'),
    setWorkingDir(folder) {
      // Above the platforms, where one looks for it.
      if (threads.has('workingDir')) threads.set('workingDir', folder);
      else threads.items.unshift(document.createPair('workingDir', folder));
    },
    put(draft) {
      const old = rows().find((row) => row.get('id') === draft.id);
      const values = valuesOf(draft);
      if (old !== undefined && old.get('type') === draft.platform.type) {
        for (const [key, value] of Object.entries(values)) {
          if (value === undefined) old.delete(key);
          else old.set(key, nodeOf(document, value));
        }
        return;
      }
      const row = document.createNode({}) as YAMLMap;
      for (const [key, value] of Object.entries(values)) {
        if (value !== undefined) row.set(key, nodeOf(document, value));
      }
      if (old === undefined) list.items.push(row);
      else list.items.splice(list.items.indexOf(old), 1, row);
    },
    toString: () => document.toString({ lineWidth: 0 }),
  };
}

type Value = string | undefined | { readonly named: NamedId } | { readonly people: readonly NamedId[] };

/** Keys in the order of the documentation; undefined for what a former one must not keep. */
function valuesOf({ id, platform, people, permissionMode }: Draft): Record<string, Value> {
  const { type, channel, botName } = platform;
  const own = (): Record<string, Value> => {
    switch (platform.type) {
      case 'local':
        return {};
      case 'mattermost':
        return { url: platform.url, token: written(platform.token) };
      case 'slack':
        return {
          botToken: written(platform.botToken),
          appToken: written(platform.appToken),
          apiUrl: platform.apiUrl ?? undefined,
        };
    }
  };
  return {
    id,
    type,
    ...own(),
    channelId: { named: channel },
    botName,
    allowedUsers: { people },
    permissionMode,
  };
}

function written({ value, variable }: Token): string {
  return variable === null ? value : `\${${variable}}`;
}

function nodeOf(document: Document, value: Exclude<Value, undefined>): Scalar | YAMLSeq {
  if (typeof value === 'string') return document.createNode(value) as Scalar;
  if ('named' in value) return named(document, value.named);
  const list = document.createNode([]) as YAMLSeq;
  list.flow = value.people.length === 0;
  for (const person of value.people) list.items.push(named(document, person));
  return list;
}

/** An id with the name beside it, for people who read the file. */
function named(document: Document, { id, name }: NamedId): Scalar {
  const node = document.createNode(id) as Scalar;
  if (name !== null && name !== id) node.comment = ` ${sanitizeName(name, id)}`;
  return node;
}

function mapAt(document: Document, path: readonly string[], name: string): YAMLMap {
  const found = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isMap(found)) return found;
  if (found !== undefined && found !== null && !(isScalar(found) && found.value === null)) {
    const what = path.length === 0 ? name : `${path.join('.')} in ${name}`;
    throw new Refusal(`${what} is no mapping of settings; correct it first`);
  }
  const made = document.createNode({}) as YAMLMap;
  if (path.length === 0) document.contents = made;
  else document.setIn(path, made);
  return made;
}

function listOf(document: Document, threads: YAMLMap, name: string): YAMLSeq {
  const found = threads.get('platforms', true);
  if (isSeq(found)) {
    found.flow = false;
    return found;
  }
  if (found !== undefined && !(isScalar(found) && found.value === null)) {
    throw new Refusal(`threads.platforms in ${name} is no list; correct it first`);
  }
  const made = document.createNode([]) as YAMLSeq;
  threads.set('platforms', made);
  return made;
}

function textIn(map: YAMLMap, key: string): string | null {
  const value = map.get(key);
  return typeof value === 'string' ? value : null;
}
