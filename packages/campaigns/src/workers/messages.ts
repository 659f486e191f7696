import { Failure, type FailureOptions } from '@postern/kit';
import { ENGINE_CHANNEL, PROGRESS_CHANNEL } from '../engine/control/channels.ts';
import type { Log } from '../ports.ts';

/** What a pool and its threads say to each other. */

export type ToThread =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly module: string;
      readonly name: string;
      readonly input: unknown;
    }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'notify'; readonly channel: string; readonly payload: string }
  | { readonly kind: 'end' };

export type FromThread =
  /** Its program is loaded and hears what it is told. */
  | { readonly kind: 'up' }
  | { readonly kind: 'done'; readonly id: number; readonly output: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly kind: 'notify'; readonly channel: string; readonly payload: string }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly fields: object; readonly message: string };

/** An error on its way between threads. */
export type SentError =
  | {
      readonly kind: 'failure';
      readonly code: string;
      readonly message: string;
      readonly options: FailureOptions;
    }
  | {
      readonly kind: 'error';
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
    };

export function sendError(error: unknown): SentError {
  if (error instanceof Failure) {
    const { code, message, status, violations, details, retryAfterSeconds, headers } = error;
    return {
      kind: 'failure',
      code,
      message,
      options: {
        status,
        violations,
        headers,
        ...(details === undefined ? {} : { details }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      },
    };
  }
  if (error instanceof Error) {
    return { kind: 'error', name: error.name, message: error.message, stack: error.stack };
  }
  return { kind: 'error', name: 'Error', message: String(error), stack: undefined };
}

export function receiveError(sent: SentError): Error {
  if (sent.kind === 'failure') {
    return new Failure(sent.code, sent.options.status ?? 500, sent.message, sent.options);
  }
  const error = new Error(sent.message);
  error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}

/**
 * With SQLite a notification reaches the listeners of its own connection alone, so these channels are carried
 * between a process and its threads: `down` to the threads, `up` to the process. No channel goes both ways.
 */
export const CARRIED = {
  down: [ENGINE_CHANNEL],
  up: [PROGRESS_CHANNEL, 'outbox_mail_webhook'],
} as const;
