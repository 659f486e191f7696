import type { Socket } from 'node:net';

/** Lines of JSON over a socket, bounded on the way in. */

const NEWLINE = 0x0a;

/**
 * Hands over each line of a socket as parsed JSON. What is no JSON, and a line beyond the bound, ends in `broken`;
 * nothing is handed over after that.
 */
export function readLines(
  socket: Socket,
  bounds: { maxBytes(): number },
  on: { value(value: unknown): void; broken(reason: string): void },
): void {
  let chunks: Buffer[] = [];
  let size = 0;
  let isBroken = false;
  const fail = (reason: string) => {
    isBroken = true;
    chunks = [];
    socket.off('data', read);
    on.broken(reason);
  };
  const read = (data: Buffer) => {
    let rest = data;
    while (!isBroken && rest.length > 0) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end);
      size += part.length;
      if (size > bounds.maxBytes()) return fail('a message is too large');
      chunks.push(part);
      if (end < 0) return;
      rest = rest.subarray(end + 1);
      const line = Buffer.concat(chunks, size).toString('utf8');
      chunks = [];
      size = 0;
      if (line.trim() === '') continue;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return fail('a message is not JSON');
      }
      on.value(value);
    }
  };
  socket.on('data', read);
}

export function writeLine(socket: Socket, value: object): void {
  if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(value)}\n`);
}
