import { parseLink } from '../links.ts';
import type { Permalink, PostRef } from '../platform.ts';
import { isSlackChannelId } from './channels.ts';
import { isTs } from './ts.ts';

export interface Workspace {
  readonly teamId: string;
  /** Such as `https://example.slack.com/`. */
  readonly teamUrl: string;
}

const CLIENT_HOST = 'app.slack.com';

/** Reads a link to a post of the workspace; null for all others. It compares and never fetches. */
export function parsePermalink(text: string, workspace: Workspace): Permalink | null {
  // Slack escapes what it hands on.
  const url = parseLink(text.replaceAll('&amp;', '&'));
  const team = URL.parse(workspace.teamUrl);
  if (url === null || team === null || url.port !== team.port || url.protocol !== team.protocol) return null;
  const parts = url.pathname.split('/').filter((part) => part !== '');
  if (url.hostname === team.hostname) return archives(parts, url.searchParams);
  return url.hostname === CLIENT_HOST ? client(parts, workspace.teamId) : null;
}

/** `/archives/C…/p1700000000000100?thread_ts=…&cid=C…` */
function archives(parts: readonly string[], query: URLSearchParams): Permalink | null {
  const [start, channelId = '', post = ''] = parts;
  if (start !== 'archives' || parts.length !== 3) return null;
  const postId = tsOf(post);
  if (postId === null || !isSlackChannelId(channelId)) return null;
  const thread = query.get('thread_ts');
  const cid = query.get('cid');
  if (cid !== null && cid !== channelId) return null;
  return { channelId, postId, threadId: thread !== null && isTs(thread) ? thread : null };
}

/** `/client/T…/C…/p1700000000000100` and `/client/T…/C…/thread/C…-1700000000.000100` */
function client(parts: readonly string[], teamId: string): Permalink | null {
  const [start, team, channelId = '', ...rest] = parts;
  if (start !== 'client' || team !== teamId || !isSlackChannelId(channelId)) return null;
  if (rest.length === 1) {
    const postId = tsOf(rest[0] ?? '');
    return postId === null ? null : { channelId, postId, threadId: null };
  }
  const [kind, thread = ''] = rest;
  const prefix = `${channelId}-`;
  if (kind !== 'thread' || rest.length !== 2 || !thread.startsWith(prefix)) return null;
  const threadId = thread.slice(prefix.length);
  return isTs(threadId) ? { channelId, postId: threadId, threadId } : null;
}

/** `p1700000000000100` has the dot before its last six digits. */
function tsOf(part: string): string | null {
  const [, seconds, fraction] = /^p(\d{10,12})(\d{6})$/.exec(part) ?? [];
  return seconds === undefined ? null : `${seconds}.${fraction}`;
}

export function permalinkOf({ channelId, postId }: PostRef, { teamUrl }: Workspace): string | null {
  if (!isSlackChannelId(channelId) || !isTs(postId)) return null;
  return `${teamUrl.replace(/\/?$/, '/')}archives/${channelId}/p${postId.replace('.', '')}`;
}
