import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '@postern/kit';

/**
 * Signatures of the Standard Webhooks scheme, symmetric form (standardwebhooks.com, version 1.0.0):
 * HMAC-SHA-256 over `<id>.<timestamp>.<body>`, one `v1,<base64>` a secret, separated by spaces.
 */

const PREFIX = 'whsec_';
/** The specification's bounds of a key. */
const KEY_BYTES = { least: 24, most: 64 };
const DEFAULT_TOLERANCE_SECONDS = 300;

export class WebhookSecretError extends Error {
  override readonly name = 'WebhookSecretError';
}

/**
 * The key in a secret `whsec_<base64>` (the prefix may be absent).
 *
 * @throws WebhookSecretError when it is not base64 of 24 to 64 bytes; the message does not repeat it.
 */
export function webhookKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  const key = Buffer.from(encoded, 'base64');
  const isBase64 = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (!isBase64 || key.length < KEY_BYTES.least || key.length > KEY_BYTES.most) {
    throw new WebhookSecretError('a webhook secret is whsec_ and the base64 of 24 to 64 random bytes');
  }
  return key;
}

/** A fresh secret with a key of 32 bytes. */
export function newWebhookSecret(random: Random): string {
  return PREFIX + Buffer.from(random.bytes(32)).toString('base64');
}

export interface WebhookMessage {
  /** The same at every attempt, so that a receiver can drop repeats. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestampSeconds: number;
  /** The exact text of the body. */
  readonly body: string;
}

export interface WebhookHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** The three header fields of a delivery; each secret gives a signature, so that keys can be rotated. */
export function signWebhook(message: WebhookMessage, secrets: readonly string[]): WebhookHeaders {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampSeconds),
    'webhook-signature': secrets
      .map((secret) => `v1,${digest(message, webhookKey(secret)).toString('base64')}`)
      .join(' '),
  };
}

export interface VerifyOptions {
  readonly secrets: readonly string[];
  readonly nowSeconds: number;
  /** How far the timestamp may be off, both ways. */
  readonly toleranceSeconds?: number;
}

/** Whether a received delivery is signed by one of the secrets and fresh. */
export function verifyWebhook(
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  { secrets, nowSeconds, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: VerifyOptions,
): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds) return false;
  const message = { id, timestampSeconds: Number(timestamp), body };
  const expected = secrets.map((secret) => digest(message, webhookKey(secret)));
  return signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'))
    .some((given) =>
      expected.some((digest) => digest.length === given.length && timingSafeEqual(digest, given)),
    );
}

function digest({ id, timestampSeconds, body }: WebhookMessage, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest();
}
