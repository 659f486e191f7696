import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, startHub, temporaryFolder } from './hub-process.ts';

const TIMEOUT = 60_000;

/** Makes Node tell the launcher that it is an old one; the packaged Node that the launcher starts does not. */
const OLD_NODE = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})",
  )}`,
];

test('an old Node runs the command again with the packaged one, and passes signals on', {
  timeout: TIMEOUT,
}, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder, nodeFlags: OLD_NODE });
  const server = Number(await readFile(join(hub.dataDir, 'postern.pid'), 'utf8'));
  expect(server).not.toBe(hub.pid);
  hub.child.kill('SIGTERM');
  const { code, stderr } = await hub.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('"stopped"')]);
});

test('exit codes pass through the launcher', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const codes = [['version'], ['nonsense'], ['serve', '--port', 'x']].map(
    async (args) => (await run({ folder, args, nodeFlags: OLD_NODE })).code,
  );
  expect(await Promise.all(codes)).toEqual([0, 2, 1]);
});

test('a server does not outlive its launcher', { timeout: TIMEOUT }, async () => {
  const folder = await temporaryFolder();
  const hub = await startHub({ folder, nodeFlags: OLD_NODE });
  hub.child.kill('SIGKILL');
  // Its output ends when the server, which shares it, is gone too.
  await hub.ended;
  const again = await startHub({ folder });
  expect((await again.request('/healthz', { as: 'nobody' })).status).toBe(200);
});
