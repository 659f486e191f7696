import process from 'node:process';
import { sampleRecords } from '../lib/campaigns.ts';
import { HttpClient } from '../lib/http-client.ts';

/** Program: imports people who have not been there, one import after the other, until it is told to stop. */

export interface ImporterOrder {
  /** Of the list's imports. */
  readonly url: string;
  readonly secret: string;
  /** Number of the first person. */
  readonly from: number;
  /** Of one import. */
  readonly records: number;
}

export interface ImporterAnswer {
  readonly imported: number;
}

let isOver = false;

process.on('message', (order: ImporterOrder | 'stop') => {
  if (order === 'stop') isOver = true;
  else void importUntilTold(order).then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit());

async function importUntilTold({ url, secret, from, records }: ImporterOrder): Promise<ImporterAnswer> {
  using client = new HttpClient(1);
  let imported = 0;
  isOver = false;
  while (!isOver) {
    const first = from + imported;
    await client.call({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ records: sampleRecords(first, first + records) }),
    });
    imported += records;
  }
  return { imported };
}
