import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAllowlistFile } from './allowlist-file.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-people-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function read(name: string, text: string) {
  writeFileSync(join(folder, name), text);
  return readAllowlistFile(join(folder, name), name);
}

const ANNA = { source: 'local', sender_id: 'anna', display_name: 'Anna' };

test.each([
  ['people.toml', '[[entries]]\nsource = "local"\nsender_id = "anna"\ndisplay_name = "Anna"\n'],
  ['people.toml', '[[allow]]\nsource = "local"\nsender_id = "anna"\ndisplay_name = "Anna"\n'],
  ['people.yaml', 'entries:\n  - { source: local, sender_id: anna, display_name: Anna }\n'],
  ['people.yml', '- source: local\n  sender_id: anna\n  display_name: Anna\n'],
])('%s is read', (name, text) => {
  expect(read(name, text)).toEqual([ANNA]);
});

test.each([
  ['a.toml', 'entries = [', 'a.toml: cannot be parsed'],
  ['a.yaml', 'entries: []\nother: []\n', 'a.yaml: found no list of entries'],
  [
    'a.yaml',
    'entries:\n  - { source: discord, sender_id: 123 }\n',
    'a.yaml: entry 1: sender_id: must be a text; put it in quotes',
  ],
  ['a.yaml', 'entries:\n  - { source: local }\n', 'a.yaml: entry 1: sender_id'],
  ['a.yaml', 'entries:\n  - { source: local, sender_id: a, name: b }\n', 'a.yaml: entry 1: Unrecognized key'],
  ['a.json', '[]', 'a.json: the name must end in .toml, .yaml or .yml'],
])('%s with %j is refused', (name, text, message) => {
  expect(() => read(name, text)).toThrow(message);
});
