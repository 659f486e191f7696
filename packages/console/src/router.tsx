import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

/** Addresses of the console, in one place. Paths are what others link to; `?thread=` is the page's own. */

export const inboxSections = [
  'conversations',
  'quarantine',
  'allowlist',
  'pairings',
  'agents',
  'webhooks',
] as const;

export type InboxSection = (typeof inboxSections)[number];

export const campaignsSections = [
  'campaigns',
  'lists',
  'segments',
  'templates',
  'domains',
  'suppressions',
  'webhooks',
  'keys',
  'captured',
  'projects',
] as const;

export type CampaignsSection = (typeof campaignsSections)[number];

export const threadsSections = ['sessions', 'questions', 'routines', 'memory', 'audit', 'platforms'] as const;

export type ThreadsSection = (typeof threadsSections)[number];

export type Route =
  | { readonly page: 'login' }
  | {
      readonly page: 'chat';
      readonly channel: string | null;
      readonly message: string | null;
      readonly thread: string | null;
    }
  | { readonly page: 'inbox'; readonly section: InboxSection; readonly item: string | null }
  | { readonly page: 'threads'; readonly section: ThreadsSection; readonly item: string | null }
  | {
      readonly page: 'campaigns';
      /** Null leaves the choice to the page. */
      readonly project: string | null;
      readonly section: CampaignsSection;
      readonly item: string | null;
    }
  | { readonly page: 'unknown' };

const BASE = '/console';

function decode(part: string | undefined): string | null {
  if (part === undefined || part === '') return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @param location path and query, as `/console/chat/general?thread=…` */
export function parseRoute(location: string): Route {
  const url = new URL(location, 'http://console.invalid');
  const path = url.pathname;
  const thread = url.searchParams.get('thread');
  // A message's permalink has no `/console` before it.
  if (path.startsWith('/chat/')) return chatRoute(path.split('/').slice(2), thread);
  if (path !== BASE && !path.startsWith(`${BASE}/`)) return { page: 'unknown' };
  const [page, ...rest] = path.slice(BASE.length + 1).split('/');
  if (page === '' || page === 'chat') return chatRoute(rest, thread);
  if (page === 'login') return { page: 'login' };
  if (page === 'campaigns') return campaignsRoute(rest);
  if (page === 'threads') {
    const section = threadsSections.find((name) => name === (rest[0] || 'sessions'));
    return section === undefined ? { page: 'unknown' } : { page, section, item: decode(rest[1]) };
  }
  if (page !== 'inbox') return { page: 'unknown' };
  const section = inboxSections.find((name) => name === (rest[0] || 'conversations'));
  return section === undefined ? { page: 'unknown' } : { page, section, item: decode(rest[1]) };
}

function chatRoute(parts: readonly string[], thread: string | null): Route {
  return { page: 'chat', channel: decode(parts[0]), message: decode(parts[1]), thread };
}

/** `/campaigns/<project>/<section>/<item>`; the sections that need no project stand right under it too. */
function campaignsRoute(parts: readonly string[]): Route {
  const project = parts[0]?.startsWith('prj_') ? (decode(parts[0]) ?? null) : null;
  const [name, item] = project === null ? parts : parts.slice(1);
  const section = campaignsSections.find((one) => one === (name || 'campaigns'));
  return section === undefined
    ? { page: 'unknown' }
    : { page: 'campaigns', project, section, item: decode(item) };
}

export const paths = {
  login: `${BASE}/login`,
  chat(channel?: string | null, message?: string | null, thread?: string | null): string {
    const parts = [channel, message].filter((part) => part != null && part !== '');
    const path = [`${BASE}/chat`, ...parts.map((part) => encodeURIComponent(part ?? ''))].join('/');
    return thread == null ? path : `${path}?thread=${encodeURIComponent(thread)}`;
  },
  inbox(section: InboxSection = 'conversations', item?: string | null): string {
    const path = `${BASE}/inbox/${section}`;
    return item == null ? path : `${path}/${encodeURIComponent(item)}`;
  },
  threads(section: ThreadsSection = 'sessions', item?: string | null): string {
    const path = `${BASE}/threads/${section}`;
    return item == null ? path : `${path}/${encodeURIComponent(item)}`;
  },
  campaigns(project: string | null, section: CampaignsSection = 'campaigns', item?: string | null): string {
    const path = [BASE, 'campaigns', ...(project === null ? [] : [project]), section].join('/');
    return item == null ? path : `${path}/${encodeURIComponent(item)}`;
  },
};

const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', tell);
  };
}

function currentLocation(): string {
  return window.location.pathname + window.location.search;
}

export function navigate(path: string, { replace = false } = {}): void {
  if (path === currentLocation()) return;
  if (replace) window.history.replaceState(null, '', path);
  else window.history.pushState(null, '', path);
  tell();
}

/** Path and query of the page; re-renders when they change. */
export function useLocation(): string {
  return useSyncExternalStore(subscribe, currentLocation);
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
  readonly replace?: boolean;
}

export function Link({ to, replace = false, onClick, children, ...rest }: LinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const plainClick =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !plainClick) return;
    event.preventDefault();
    navigate(to, { replace });
  }
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
