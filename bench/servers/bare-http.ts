import { createServer } from 'node:http';
import process from 'node:process';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { bareServers } from './bare-tools.ts';

/** Program: the SDK's HTTP handler with one constant tool. Prints its port; ends with its parent. */

const serve = toNodeHandler(createMcpHandler(bareServers()));
const server = createServer(
  (request, response) => void serve(request as Parameters<typeof serve>[0], response),
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`${address.port}\n`);
});
process.once('disconnect', () => process.exit(0));
