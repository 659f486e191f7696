import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../config/companions.ts';
import type { Config } from '../config/load.ts';

/** Addresses of the listener, as others write them. */

/** `http://HOST:PORT` with the host as configured; IPv6 in brackets. */
export function listenerUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where this machine reaches the listener: one bound to every address is reached by loopback. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return listenerUrl('127.0.0.1', port);
  if (/^[0:]+$/.test(host) && host.includes(':')) return listenerUrl('::1', port);
  return listenerUrl(host, port);
}

/** The base of what others follow: the configured one, else where this machine reaches the listener. */
export function publicUrlOf(
  config: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  listening: AddressInfo | null,
): string {
  return config.publicUrl ?? localUrl(config.host, listening?.port ?? config.port);
}

/** Why the way this is bound is not safe, or will not work, for others; a line each. */
export function exposureWarnings(config: Pick<Config, 'publicUrl' | 'host'>): string[] {
  if (isLoopbackHost(config.host)) return [];
  if (config.publicUrl === null) {
    return [
      `listening on ${config.host}, beyond this machine, without POSTERN_PUBLIC_URL: others are refused by the Host check, and tokens would travel unencrypted`,
    ];
  }
  if (config.publicUrl.startsWith('https:')) return [];
  return [
    `listening on ${config.host}, beyond this machine, and POSTERN_PUBLIC_URL is not https: tokens travel unencrypted; put a TLS proxy in front`,
  ];
}
