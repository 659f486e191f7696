import type { Rate } from '../limiter.ts';

/**
 * How often Slack lets a method be called, in a workspace and a minute: https://docs.slack.dev/apis/web-api/rate-limits.
 * chat.postMessage has its own rule, one a second in a channel. A burst and what comes back in the minute after it
 * stay under the tier together.
 */
const PER_MINUTE: Readonly<Record<string, number>> = {
  ...perMinute(20, ['users.list', 'conversations.list', 'users.conversations', 'pins.add']),
  ...perMinute(50, [
    ...['chat.update', 'chat.delete', 'conversations.history', 'conversations.replies', 'conversations.info'],
    ...['conversations.open', 'reactions.add', 'reactions.remove', 'reactions.get'],
  ]),
  ...perMinute(100, [
    ...['users.info', 'conversations.members', 'files.info', 'files.getUploadURLExternal'],
    ...['files.completeUploadExternal'],
  ]),
};

function perMinute(limit: number, methods: readonly string[]): Record<string, number> {
  return Object.fromEntries(methods.map((method) => [method, limit]));
}

const POST = 'chat.postMessage';
/** Edits stream for as long as a session writes, so nearly all of their budget is the steady part. */
const STEADY_PART: Readonly<Record<string, number>> = { 'chat.update': 0.9 };
const USUAL_STEADY_PART = 0.6;

/** The key that a call counts under; posts count by channel. */
export function budgetKey(method: string, channelId: string | null): string {
  return method === POST ? `${POST} ${channelId ?? ''}` : method;
}

export function slackRate(key: string): Rate | null {
  if (key.startsWith(POST)) return { perSecond: 1, burst: 1 };
  const limit = PER_MINUTE[key];
  if (limit === undefined) return null;
  const steady = STEADY_PART[key] ?? USUAL_STEADY_PART;
  return { perSecond: (limit * steady) / 60, burst: Math.max(1, Math.floor(limit * (1 - steady))) };
}

/** Milliseconds between edits that {@link slackRate} lets through for ever. */
export const EDIT_INTERVAL_MS = Math.ceil(1_000 / (slackRate('chat.update')?.perSecond ?? 1));
