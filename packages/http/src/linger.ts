import type { IncomingMessage } from 'node:http';

/** How long a client may go on sending what nobody reads, in milliseconds. */
const LINGER_MS = 2_000;

/**
 * Closes the connection of a request that was refused before its body had come, in a way that the client gets
 * the answer: to one that is still sending, a connection closed at once is a reset, and a reset throws away
 * what was on its way to it (RFC 9112, section 9.6). So our side ends, and the rest of the body is read and
 * forgotten until it is over, the client closes, or the time is up.
 *
 * To be called before an answer with `Connection: close` goes out.
 */
export function lingerBeforeClose(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete) return;
  // What Node calls when such an answer has gone out.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    // What follows on this connection is no longer served.
    request.once('close', () => socket.destroy());
  };
}
