import { expect, test } from 'vitest';
import { Secret } from '../secrets/secret.ts';
import { createLog } from './log.ts';

test('secrets are hidden by type, and blotted out where their text turns up', () => {
  const lines: string[] = [];
  const key = new Secret('the-key-that-nobody-may-see');
  const log = createLog({ level: 'info', pretty: false, secrets: [key], write: (line) => lines.push(line) });
  log.info({ key, nested: { key } }, 'typed');
  log.error({ err: new Error(`refused: ${key.reveal()}`) }, `text ${key.reveal()}`);
  log.debug('below the level');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain(key.reveal());
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', key: '[secret]', msg: 'typed' });
});
