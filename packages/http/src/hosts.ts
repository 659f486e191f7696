/** Guards against DNS rebinding and cross-site requests: which `Host` and `Origin` a request may carry. */

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface HostPolicy {
  /** Base of the addresses others follow; asked at each use. */
  publicUrl(): string;
  /** Further host names the server answers to, without ports. */
  readonly trustedHosts?: readonly string[] | undefined;
}

/** Whether a `Host` field names this server: the public URL's host, a loopback name or a trusted one. Ports do not matter. */
export function isOwnHost(host: string | undefined, policy: HostPolicy): boolean {
  // The parser would read more than a host out of a field that has more in it.
  const name = host === undefined || /[/?#@\\]/.test(host) ? null : hostName(`http://${host}`);
  return name !== null && isOwnName(name, policy);
}

/**
 * Whether a request's `Origin` may use an endpoint that takes no ambient credentials: none (not a browser),
 * or a page of one of the server's own host names, whatever the port.
 */
export function isOwnOrigin(origin: string | undefined, policy: HostPolicy): boolean {
  if (origin === undefined) return true;
  const name = hostName(origin);
  return name !== null && isOwnName(name, policy);
}

/**
 * Whether a request's `Origin` is exactly this server's, port and all, as cookies need it: cookies do not
 * keep ports apart, so a page on another port of the same host must not get through.
 */
export function isSameOrigin(
  origin: string | undefined,
  host: string | undefined,
  policy: HostPolicy,
): boolean {
  if (origin === undefined) return false;
  if (origin === originOf(policy.publicUrl())) return true;
  return (
    isOwnHost(host, policy) &&
    (origin === originOf(`http://${host}`) || origin === originOf(`https://${host}`))
  );
}

function isOwnName(name: string, { publicUrl, trustedHosts = [] }: HostPolicy): boolean {
  return (
    LOOPBACK_NAMES.has(name) ||
    name === hostName(publicUrl()) ||
    trustedHosts.some((host) => host.toLowerCase() === name)
  );
}

function hostName(url: string): string | null {
  const parsed = URL.parse(url);
  // A Host field has no path and no user; the parser would read "a@b" and "a/b" as something else than a host.
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || parsed.hostname === '')
    return null;
  return parsed.hostname;
}

function originOf(url: string): string | null {
  return URL.parse(url)?.origin ?? null;
}
