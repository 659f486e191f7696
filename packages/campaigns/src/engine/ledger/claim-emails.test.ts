import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { campaignsBench } from '../../testing/index.ts';
import { claimEmails } from './claim-emails.ts';

test('to see that no e-mail is due waits for nobody who writes', async () => {
  const { ports } = await campaignsBench('sqlite');
  if (!('file' in ports.place)) throw new Error('a file was asked for');
  const writer = new DatabaseSync(ports.place.file);
  writer.exec('BEGIN IMMEDIATE');
  try {
    expect(await claimEmails(ports, 'wrk_one', 10)).toEqual([]);
  } finally {
    writer.close();
  }
});
