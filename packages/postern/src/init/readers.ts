import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { parse, resolve, sep } from 'node:path';
import type { NamedId } from './answers.ts';
import { Unfit } from './asking.ts';

/** What answers have to be like; each throws Unfit with the reason. */

const LONGEST = 1_024;

/** Any text on one line. The file would take `${…}` for a variable. */
export function plain(text: string): string {
  if (text.length > LONGEST) throw new Unfit(`It is longer than ${LONGEST} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\u0000-\u001f\u007f]/.test(text)) throw new Unfit('It holds control characters.');
  if (text.includes('${')) throw new Unfit('It must not hold ${, which stands for a variable in the file.');
  return text;
}

export function platformId(text: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(text)) {
    throw new Unfit('An id has up to 40 lower-case letters, digits, - and _, the first a letter or a digit.');
  }
  return text;
}

export function serverUrl(text: string): string {
  const url = URL.parse(plain(text));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Unfit('It must begin with https:// (or http://), such as https://chat.example.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Unfit("It must be the server's own address, without user, query or fragment.");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export function token(text: string): string {
  if (/\s/.test(plain(text))) throw new Unfit('A token has no spaces in it.');
  return text;
}

/** @param other What the other of Slack's two tokens begins with. */
export function slackToken(start: string, other: string): (text: string) => string {
  return (text) => {
    if (token(text).startsWith(other))
      throw new Unfit(`This is the ${other}… token; here goes the ${start}… one.`);
    if (!text.startsWith(start)) throw new Unfit(`It must begin with ${start}`);
    return text;
  };
}

export function localChannel(text: string): string {
  const name = text.replace(/^(?:local:|#)/, '');
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new Unfit('A channel has up to 64 letters, digits, - and _, the first a letter or a digit.');
  }
  return name;
}

/** Of the local chat, where the name is also what people type after @. */
export function botName(text: string): string {
  const name = text.replace(/^@/, '');
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new Unfit('A name has up to 64 letters, digits, - and _, the first a letter or a digit.');
  }
  return name;
}

/** Someone of the local chat, where a name becomes an id the way the console's Chat page makes one of it. */
export function localPerson(text: string): NamedId {
  const name = text.replace(/^@/, '');
  if (/^[a-z0-9_+][a-z0-9._@+:-]{0,63}$/.test(name)) return { id: name, name: null };
  const id = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 64);
  if (id === '') throw new Unfit(`${name} makes no id; give one of letters and digits.`);
  return { id, name };
}

const NOBODY = 'nobody';
const MOST_PEOPLE = 1_000;

/** Names or ids with commas between them; the word nobody is an empty list. */
export function people(text: string): string[] {
  const entries = text.split(',').flatMap((entry) => plain(entry).trim() || []);
  if (entries.length === 0) throw new Unfit(`Name at least one person, or write ${NOBODY}.`);
  if (entries.length > MOST_PEOPLE) throw new Unfit(`At most ${MOST_PEOPLE} people.`);
  const long = entries.find((entry) => entry.length > 100);
  if (long !== undefined) throw new Unfit('A name or id has at most 100 characters.');
  return text.trim().toLowerCase() === NOBODY ? [] : [...new Set(entries)];
}

export interface WorkingDir {
  /** As it goes into the file. */
  readonly text: string;
  readonly path: string;
  readonly exists: boolean;
}

/** Relative paths start where the command runs; in the file, they start where the file is. */
export function workingDir(
  given: string,
  { workingDirectory, base, dataDir }: { workingDirectory: string; base: string; dataDir: string },
): WorkingDir {
  const fromHome = /^~(?=$|[/\\])/;
  const path = resolve(
    workingDirectory,
    plain(given).replace(fromHome, () => homedir()),
  );
  if (path === parse(path).root) throw new Unfit('The root of the file system is too wide for an agent.');
  if (path === dataDir || path.startsWith(dataDir + sep)) {
    throw new Unfit(`${path} is in Postern's data folder, which agents may not touch; choose another.`);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) throw new Unfit(`${path} is no folder.`);
  const text = fromHome.test(given) || workingDirectory === base ? given : path;
  return { text, path, exists: stats !== undefined };
}
