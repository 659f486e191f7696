import { segmentsBelow } from '../links.ts';
import type { Permalink } from '../platform.ts';

/** Where a Mattermost server is, perhaps below a path of its host. */
export interface ServerAddress {
  /** Without a slash at the end. */
  readonly base: string;
  api(path: string): string;
  readonly webSocket: string;
  permalink(postId: string, teamName: string | null): string;
  /** The post that a link to this very server names, read without fetching it; null for any other text. */
  parsePermalink(text: string): Permalink | null;
}

/** Ids of users, channels, teams, posts and files alike. */
const ID = /^[a-z0-9]{26}$/;

export function isMattermostId(text: string): boolean {
  return ID.test(text);
}

const TEAM = /^(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?|_redirect)$/;

/** @throws Error with a sentence for an operator when this is no address of a server. */
export function serverAddress(url: string): ServerAddress {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    throw new Error('The url of Mattermost must begin with https:// or http://.');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new Error('The url of Mattermost must not hold a user name or password; the token is a setting.');
  }
  const base = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
  return {
    base,
    api: (path) => `${base}/api/v4${path}`,
    webSocket: `${base.replace(/^http/, 'ws')}/api/v4/websocket`,
    permalink: (postId, teamName) => `${base}/${teamName ?? '_redirect'}/pl/${postId}`,
    parsePermalink(text) {
      const [team = '', pl, postId = '', ...rest] = segmentsBelow(text, base) ?? [];
      if (!TEAM.test(team) || pl !== 'pl' || !ID.test(postId) || rest.length > 0) return null;
      return { channelId: null, postId, threadId: null };
    },
  };
}
