import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A port that nobody listens on; for programs that are told theirs. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
