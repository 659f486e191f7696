/**
 * What a link names below an address of ours: its path's segments, decoded. Null for any other link, and for what is
 * none; nothing is fetched. The link may be in chat markup (`<url>`, `<url|label>`), and end in a slash, query or
 * fragment, which say nothing here.
 *
 * @param base Address with or without a path and a trailing slash; the scheme, host and port have to be the same.
 */
export function segmentsBelow(link: string, base: string): string[] | null {
  const url = parseLink(link);
  const own = URL.parse(base);
  if (url === null || own === null || url.origin !== own.origin) return null;
  const folder = own.pathname.replace(/\/*$/, '/');
  if (!url.pathname.startsWith(folder)) return null;
  const segments = url.pathname.slice(folder.length).replace(/\/+$/, '').split('/');
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** An http(s) link as people and chat markup write it; null for what is none, and for one with credentials. */
export function parseLink(link: string): URL | null {
  const bare = /^\s*<([^<>|\s]+)(?:\|[^<>]*)?>\s*$/.exec(link)?.[1] ?? link.trim();
  // The parser drops controls and takes backslashes for slashes; nobody means such a link.
  if (/[\s\\]/.test(bare)) return null;
  const url = URL.parse(bare);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  return url;
}
