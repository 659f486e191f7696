import { Readable } from 'node:stream';
import { type ErrorDialect, type Failure, JsonText } from '@postern/kit';
import type { FastifyReply } from 'fastify';
import type { Outcome } from './invoke.ts';

/** Outcomes as HTTP answers: the only place that writes an error body. */

export function sendFailure(reply: FastifyReply, dialect: ErrorDialect, failure: Failure): FastifyReply {
  reply.code(failure.status).headers(failure.headers).header('content-type', dialect.contentType);
  reply.header('cache-control', 'no-store');
  if (failure.code === dialect.common.unauthorized)
    reply.header('www-authenticate', 'Bearer realm="postern"');
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
  return reply.send(JSON.stringify(dialect.body(failure, reply.request.id)));
}

export function sendOutcome(reply: FastifyReply, dialect: ErrorDialect, outcome: Outcome): FastifyReply {
  if (outcome.kind === 'failure') return sendFailure(reply, dialect, outcome.failure);
  if (outcome.kind === 'raw') {
    const { status, headers, body } = outcome.raw;
    reply.code(status).headers(headers);
    // HEAD: the framework would read the stream to its end and throw the bytes away. An empty stream in its
    // place, unlike an empty text, keeps the Content-Length the handler gave.
    if (reply.request.method === 'HEAD' && isStream(body)) {
      body.destroy();
      return reply.send(Readable.from([]));
    }
    return body === null
      ? reply.send()
      : reply.send(
          body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body,
        );
  }
  reply.code(outcome.status).header('cache-control', 'no-store').headers(outcome.headers);
  if (outcome.status === 204) return reply.send();
  const text = outcome.body instanceof JsonText ? outcome.body.text : JSON.stringify(outcome.body);
  return reply.header('content-type', 'application/json; charset=utf-8').send(text);
}

function isStream(body: unknown): body is { destroy(): unknown } {
  return typeof body === 'object' && body !== null && 'destroy' in body && typeof body.destroy === 'function';
}
