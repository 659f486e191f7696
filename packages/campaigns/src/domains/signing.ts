import type { StoreHandle } from '@postern/store';
import type { Kysely } from 'kysely';
import type { CampaignsPorts } from '../ports.ts';
import { unseal } from '../seal.ts';
import type { CampaignsTables, DomainTable } from '../tables.ts';
import { bounceDomain } from './records.ts';
import { recordsOf } from './shapes.ts';

/** What a mail from a domain is sent with. */
export interface SendingIdentity {
  readonly domain: string;
  readonly isVerified: boolean;
  readonly dkim: { readonly domain: string; readonly selector: string; readonly privateKey: string };
  /** Domain of the return path: `bounce.<domain>` once it leads to us; null before. */
  readonly returnPathDomain: string | null;
}

/** The project's sending domain of exactly this name, or null. */
export async function findSendingDomain(
  db: StoreHandle,
  projectId: string,
  domain: string,
): Promise<DomainTable | undefined> {
  return (db as unknown as Kysely<CampaignsTables>)
    .selectFrom('mail_domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('domain', '=', domain)
    .executeTakeFirst();
}

/**
 * How mails from an address's domain are signed and where they return to; null when the project has no such domain.
 *
 * @param fromDomain in A-labels, lower case.
 */
export async function sendingIdentity(
  ports: Pick<CampaignsPorts, 'store' | 'installationKey'>,
  projectId: string,
  fromDomain: string,
): Promise<SendingIdentity | null> {
  const row = await findSendingDomain(ports.store.db, projectId, fromDomain);
  if (!row) return null;
  const { domain, dkim_selector: selector } = row;
  const returnPath = recordsOf(row).find(({ purpose }) => purpose === 'return_path');
  return {
    domain,
    isVerified: row.state === 'verified',
    dkim: { domain, selector, privateKey: unseal(ports, 'dkim', row.dkim_private_sealed) },
    returnPathDomain: returnPath?.status === 'verified' ? bounceDomain(domain) : null,
  };
}
