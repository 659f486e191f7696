import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepRuns } from '../src/agent/claude/run-record.ts';
import { type ScriptedClaude, scriptedClaude } from '../src/testing/fakes/claude/scripted-claude.ts';
import { type Workshop, workshop } from './agent-harness.ts';

/** Agents that a killed hub left at work are ended by whoever starts next. */

let claude: ScriptedClaude;
let shop: Workshop;
beforeAll(async () => {
  claude = await scriptedClaude();
  shop = await workshop({ command: claude.path });
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await claude[Symbol.asyncDispose]();
});

/** Number of a process that was there and is gone. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

const recordOf = () => {
  const [folder = ''] = readdirSync(shop.filesDir);
  return join(shop.filesDir, folder, 'process.json');
};

async function change(changes: object): Promise<void> {
  const record = JSON.parse(await readFile(recordOf(), 'utf8'));
  await writeFile(recordOf(), JSON.stringify({ ...record, ...changes }));
}

test('an agent of a hub that is gone is ended, and its files are removed', async () => {
  const agent = await shop.start();
  await agent.say('[[say begun]] [[wait]]');
  await agent.event('text');
  expect(await sweepRuns(shop.filesDir, 'mcp.json')).toBe(1);
  expect(await agent.process.ended).toMatchObject({ reason: 'signalled', isMidTurn: true });
  expect(readdirSync(shop.filesDir)).toEqual([]);
});

test('an agent of another hub that runs is left alone', async () => {
  const agent = await shop.start();
  await change({ hub: process.ppid });
  expect(await sweepRuns(shop.filesDir, 'mcp.json')).toBe(0);
  await agent.say('[[say still here]]');
  await agent.event('turn_finished');
  expect(agent.text()).toContain('still here');
  await shop.stopAll();
});

test('a process that has the number of a dead agent is not touched', async () => {
  const agent = await shop.start();
  await agent.say('[[say ready]]');
  await agent.event('turn_finished');
  const record = recordOf();
  await change({ hub: deadPid(), group: process.pid, run: 'of-nobody' });
  expect(await sweepRuns(shop.filesDir, 'mcp.json')).toBe(1);
  expect(existsSync(record)).toBe(false);
  await agent.say('[[say alive]]');
  await agent.event('turn_finished', 2);
  expect(agent.text()).toContain('alive');
  await shop.stopAll();
});

test('without any folder there is nothing to end', async () => {
  expect(await sweepRuns(join(shop.folder, 'none'), 'mcp.json')).toBe(0);
});
