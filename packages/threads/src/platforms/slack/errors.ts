import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { PlatformError, type PlatformErrorCode } from '../platform.ts';
import { CallFault, faultOfError, faultOfStatus } from '../retry.ts';

/** A refusal by Slack, with the word it refused with. */
export class SlackRefusal extends PlatformError {
  /** Slack's own error code, such as `channel_not_found`. */
  readonly reason: string;

  constructor(code: PlatformErrorCode, message: string, reason: string) {
    super(code, message);
    this.reason = reason;
  }
}

/** https://docs.slack.dev/reference/methods lists the errors of each method. */
const CODES: Readonly<Record<string, PlatformErrorCode>> = {
  ...codesOf('unauthorized', [
    ...['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired', 'no_permission'],
    ...[
      'missing_scope',
      'not_allowed_token_type',
      'org_login_required',
      'ekm_access_denied',
      'access_denied',
    ],
    ...[
      'team_access_not_granted',
      'not_in_channel',
      'enterprise_is_restricted',
      'method_not_supported_for_channel_type',
    ],
  ]),
  ...codesOf('not_found', [
    ...['channel_not_found', 'message_not_found', 'thread_not_found', 'user_not_found', 'users_not_found'],
    ...['file_not_found', 'file_deleted', 'user_not_visible', 'no_item_specified'],
  ]),
  ...codesOf('too_large', ['msg_too_long', 'file_upload_size_restricted', 'msg_blocks_too_long']),
};

function codesOf(code: PlatformErrorCode, reasons: readonly string[]): Record<string, PlatformErrorCode> {
  return Object.fromEntries(reasons.map((reason) => [reason, code]));
}

/** Refusals for now. */
const BUSY = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
/** Failures on Slack's side, of which it says that it may have done part of the work. */
const BROKEN = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'timeout',
]);
/** Slack asks for no less than a second, and says how long nearly always. */
const DEFAULT_PAUSE_MS = 5_000;

/** What an error of the SDK means: a {@link CallFault} when it may be tried again, else a {@link PlatformError}. */
export function meaningOf(error: unknown, method: string): CallFault | PlatformError {
  if (error instanceof CallFault || error instanceof PlatformError) return error;
  if (error instanceof WebAPIRateLimitedError) {
    return new CallFault('busy', 'Slack asks for a pause', { retryAfterMs: error.retryAfter * 1_000 });
  }
  if (error instanceof WebAPIPlatformError) return refusalOf(error, method);
  if (error instanceof WebAPIHTTPError) {
    return (
      faultOfStatus(error.statusCode, null) ??
      new PlatformError('refused', `Slack answered ${error.statusCode} to ${method}`)
    );
  }
  if (error instanceof WebAPIRequestError) return faultOfError(error.original);
  return faultOfError(error);
}

function refusalOf({ data }: WebAPIPlatformError, method: string): CallFault | PlatformError {
  const reason = data.error;
  if (BUSY.has(reason)) {
    const seconds = data.response_metadata?.retryAfter;
    const retryAfterMs = typeof seconds === 'number' ? seconds * 1_000 : DEFAULT_PAUSE_MS;
    return new CallFault('busy', 'Slack asks for a pause', { retryAfterMs });
  }
  if (BROKEN.has(reason)) return new CallFault('lost', `Slack failed (${reason})`);
  // The SDK puts the body here when it is no JSON: the page of a proxy, say.
  if (!/^[a-z0-9_]{1,80}$/.test(reason)) return new CallFault('lost', 'the answer is none of Slack’s');
  const needed = reason === 'missing_scope' && 'needed' in data ? `, it needs ${String(data.needed)}` : '';
  return new SlackRefusal(CODES[reason] ?? 'refused', `Slack refused ${method}: ${reason}${needed}`, reason);
}

/** Whether Slack refused with one of these words. */
export function isRefusedWith(error: unknown, ...reasons: readonly string[]): boolean {
  return error instanceof SlackRefusal && reasons.includes(error.reason);
}

/** The value, or null for what does not exist or cannot be seen by the bot. */
export async function orNull<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'not_found') return null;
    if (isRefusedWith(error, 'not_in_channel', 'user_disabled')) return null;
    throw error;
  }
}
