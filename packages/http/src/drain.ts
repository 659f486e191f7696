import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a stopping server wait for answers and for nothing else. Node closes the connections that are idle
 * when it begins to stop, but not those that browsers opened in advance and that never carried a request, and
 * not those that become idle when their last answer is done.
 */
export function drainOnStop(app: FastifyInstance, stopping: AbortSignal): void {
  const unused = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  app.server.on('request', ({ socket }) => unused.delete(socket));
  stopping.addEventListener('abort', () => {
    for (const socket of unused) socket.destroy();
  });
  app.addHook('onResponse', async () => {
    // A connection is idle a little after its answer is done.
    if (stopping.aborted) setImmediate(() => app.server.closeIdleConnections());
  });
}
