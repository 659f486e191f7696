import type { FastifyRequest } from 'fastify';

const LONGEST_AGENT = 300;

/** What shows that somebody said yes themselves, kept with their consent. */
export function evidenceOf(request: FastifyRequest): string {
  const agent = (request.headers['user-agent'] ?? 'unknown').replace(/[^ -~]/g, '?').slice(0, LONGEST_AGENT);
  return `from ${request.ip} with ${agent}`;
}
