import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Which addresses the server may be made to connect to by somebody else's URL. */

/** Global unicast (RFC 4291, 2.4, as IANA assigns it); whatever else IPv6 has leads somewhere special. */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
/** Documentation ranges the library counts as unicast or may come to (RFC 3849, RFC 9637). */
const DOCUMENTATION_IPV6: readonly [ipaddr.IPv6, number][] = [
  [ipaddr.IPv6.parse('2001:db8::'), 32],
  [ipaddr.IPv6.parse('3fff::'), 20],
];

/**
 * Whether an address, as text, is public unicast. Private, shared, link-local, loopback, multicast, reserved
 * and translating ranges (NAT64, 6to4, Teredo) are not; an IPv4 address mapped into IPv6 counts as itself.
 * With `allowLoopback`, loopback is let through too.
 */
export function isPublicAddress(address: string, { allowLoopback = false } = {}): boolean {
  // The library also reads short and octal forms, which resolvers and kernels do not agree on.
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return true;
  return (
    parsed.match(GLOBAL_IPV6, 3) && !DOCUMENTATION_IPV6.some(([network, bits]) => parsed.match(network, bits))
  );
}
