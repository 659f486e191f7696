import { connect, type Socket } from 'node:net';

/** Bytes on a socket, for what no HTTP client would send. */

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends text and reads until the server closes the connection. */
export async function sendRaw(url: string, text: string | Buffer): Promise<RawAnswer> {
  const socket = openSocket(url);
  socket.write(text);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket
      .on('data', (chunk) => chunks.push(chunk))
      .on('close', () => resolve())
      .on('error', reject);
  });
  return readAnswer(Buffer.concat(chunks).toString('latin1'));
}

export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

function readAnswer(text: string): RawAnswer {
  const split = text.indexOf('\r\n\r\n');
  return {
    status: Number(text.slice(9, 12)),
    head: text.slice(0, split).toLowerCase(),
    body: text.slice(split + 4),
  };
}
