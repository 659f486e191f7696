import process from 'node:process';
import { createInterface } from 'node:readline';

/** Program: answers every request with an empty list, without any SDK. What Node's own start costs. */

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line) as { id?: number };
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [], content: [] } })}\n`);
});
