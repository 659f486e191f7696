import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { campaignsOperations } from '../../../../packages/campaigns/src/index.ts';
import { inboxOperations } from '../../../../packages/inbox/src/index.ts';
import type { RecordedExample } from '../examples.ts';
import { recordCampaignsExample } from './campaigns.ts';
import { recordInboxExample } from './inbox.ts';
import { RECORDING_FILE } from './variable.ts';

/** Makes every example call, and writes down what came back. */

const recorded: RecordedExample[] = [];

const recordings = [
  ...campaignsOperations.map(
    (operation) => [operation.name, () => recordCampaignsExample(operation)] as const,
  ),
  ...inboxOperations.map((operation) => [operation.name, () => recordInboxExample(operation)] as const),
];

test.each(recordings)('%s', async (name, record) => {
  const example = await record();
  expect(example.operation).toBe(name);
  recorded.push(example);
});

afterAll(() => {
  const file = process.env[RECORDING_FILE];
  if (file === undefined) throw new Error(`${RECORDING_FILE} must name the file to write; run npm run docs`);
  writeFileSync(file, JSON.stringify(recorded));
});
