import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { commonFailure, type ErrorDialect } from '@postern/kit';
import type { FastifyInstance } from 'fastify';

/**
 * Answers what is not HTTP, or came too slowly. There is no request then, so the bytes are written by hand;
 * never between those of another answer, and after those of the requests that came whole before it.
 */
export class BrokenHttp {
  readonly #dialect: ErrorDialect;
  readonly #answering = new WeakMap<Socket, Set<ServerResponse>>();

  constructor(dialect: ErrorDialect) {
    this.#dialect = dialect;
  }

  /** Notes which answers are under way on which connection. */
  watch({ server }: FastifyInstance): void {
    server.on('request', ({ socket }, response) => {
      const answers = this.#answering.get(socket) ?? new Set();
      this.#answering.set(socket, answers.add(response));
      response.once('close', () => answers.delete(response));
    });
  }

  async answer(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    const answers = [...(this.#answering.get(socket) ?? [])];
    const earlier = answers.filter(({ req }) => req.complete);
    if (error.code !== 'ECONNRESET') await Promise.all(earlier.map(closed));
    const isHalfAnswered = answers.some((response) => !earlier.includes(response) && response.headersSent);
    if (error.code === 'ECONNRESET' || isHalfAnswered || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(this.#bytes(error));
  }

  #bytes({ code }: NodeJS.ErrnoException): string {
    const [status, reason, message] =
      code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'Request Timeout', 'The request did not arrive in time.'] as const)
        : code === 'HPE_HEADER_OVERFLOW'
          ? ([431, 'Request Header Fields Too Large', 'The header section is too large.'] as const)
          : ([400, 'Bad Request', 'The request is not valid HTTP.'] as const);
    const failure = commonFailure(this.#dialect, 'malformed', message, { status });
    const body = JSON.stringify(this.#dialect.body(failure));
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      `content-type: ${this.#dialect.contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  }
}

function closed(response: ServerResponse): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => response.once('close', resolve));
}
