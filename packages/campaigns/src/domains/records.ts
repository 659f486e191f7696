import { isIP } from 'node:net';
import { parseDomain } from '@postern/mail';
import type { CampaignsPorts } from '../ports.ts';

/**
 * The DNS records of a sending domain. Mails return to `bounce.<domain>`, which has its own SPF record, so that SPF
 * and DKIM are both aligned with the From address (RFC 7208, 6376, 9989).
 */

export const recordPurposes = ['dkim', 'spf', 'dmarc', 'return_path'] as const;
export type RecordPurpose = (typeof recordPurposes)[number];

/**
 * `pending` was never looked for; `mismatch` is there and says something else; `error` could not be looked up, which
 * tells nothing.
 */
export const recordStatuses = ['pending', 'verified', 'missing', 'mismatch', 'error'] as const;
export type RecordStatus = (typeof recordStatuses)[number];

export interface DomainRecord {
  readonly purpose: RecordPurpose;
  readonly type: 'TXT' | 'MX';
  readonly name: string;
  readonly value: string;
  readonly status: RecordStatus;
  /** What was found there at the last look. */
  readonly found: string | null;
}

/** Of the return path of a sending domain. */
export function bounceDomain(domain: string): string {
  return `bounce.${domain}`;
}

type Setting = Pick<CampaignsPorts, 'config' | 'publicUrl'>;

/** The records to set, none looked for yet. */
export function recordsFor(
  ports: Setting,
  domain: string,
  dkim: { readonly name: string; readonly value: string },
): DomainRecord[] {
  const host = mailHost(ports, domain);
  const fresh = { status: 'pending', found: null } as const;
  return [
    { purpose: 'dkim', type: 'TXT', name: dkim.name, value: dkim.value, ...fresh },
    { purpose: 'spf', type: 'TXT', name: bounceDomain(domain), value: `v=spf1 a:${host} ~all`, ...fresh },
    { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none', ...fresh },
    { purpose: 'return_path', type: 'MX', name: bounceDomain(domain), value: `10 ${host}`, ...fresh },
  ];
}

/** The host that sends and takes bounces: as configured, else the hub's own; on a trial, one of the domain's. */
function mailHost({ config, publicUrl }: Setting, domain: string): string {
  if (config.returnPathDomain !== undefined) return config.returnPathDomain.toLowerCase();
  const { hostname } = new URL(publicUrl());
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && typeof parseDomain(hostname) === 'string';
  return isName ? hostname : `mail.${domain}`;
}
