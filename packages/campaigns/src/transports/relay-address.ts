import { isIP } from 'node:net';
import type { RelayOptions, TlsPolicy } from '@postern/mail';
import type { CampaignsConfig } from '../config.ts';

type RelaySetting = CampaignsConfig['smtp'][number];

const SUBMISSION_PORT = 587;
const RELAY_PORT = 25;
const TLS_PORT = 465;

/**
 * A relay of the configuration as the pool wants it. `smtps:` is TLS from the first byte; without a port it is 465,
 * 587 with credentials, and 25 else.
 *
 * @param place in the list: a later relay stands in while all earlier ones are down.
 * @throws Error for an address that is none, without repeating it: it may hold a password.
 */
export function relayOptions(setting: RelaySetting, place: number, connections: number): RelayOptions {
  if (!URL.canParse(setting.url)) throw new Error('the address of a mail relay is not a URL');
  const { protocol, hostname, port, username, password } = new URL(setting.url);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') {
    throw new Error('the address of a mail relay begins with smtp:// or smtps://');
  }
  if (hostname === '') throw new Error('the address of a mail relay names no host');
  const tls: TlsPolicy = protocol === 'smtps:' ? 'implicit' : setting.tls;
  const usual = tls === 'implicit' ? TLS_PORT : username === '' ? RELAY_PORT : SUBMISSION_PORT;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? usual : Number(port),
    tls,
    priority: place,
    connections: setting.connections ?? connections,
    ...(setting.ratePerSecond === undefined ? {} : { ratePerSecond: setting.ratePerSecond }),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), password: decodeURIComponent(password) } }),
  };
}

/** What we call ourselves in EHLO: the host of the return path or the public address, as a name or a literal. */
export function ehloName(returnPathDomain: string | undefined, publicUrl: string): string {
  if (returnPathDomain !== undefined) return returnPathDomain;
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname.replace(/^\[|\]$/g, '') : '';
  const version = isIP(host);
  if (version === 4) return `[${host}]`;
  if (version === 6) return `[IPv6:${host}]`;
  return host === '' ? 'localhost' : host;
}

/** Whether a relay is on this machine, where neither TLS nor verified domains are asked for. */
export function isLoopbackRelay({ url }: Pick<RelaySetting, 'url'>): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
