import { createPublicKey } from 'node:crypto';
import { problem } from '@postern/http';
import { dkimRecord, generateDkimKey, parseDomain } from '@postern/mail';
import { forUpdate, type StoreHandle, serialise } from '@postern/store';
import type { Kysely } from 'kysely';
import { recordAct } from '../audit.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { seal } from '../seal.ts';
import type { CampaignsTables, DomainTable } from '../tables.ts';
import { type DomainRecord, recordsFor } from './records.ts';
import { type DomainAnswer, domainAnswer, recordsOf } from './shapes.ts';
import { lookUpRecords } from './verify.ts';

/**
 * Makes a key for a domain, and the records to publish it with.
 *
 * @param given a domain that parses.
 * @throws Failure conflict when the project has it already.
 */
export async function createSendingDomain(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  given: string,
): Promise<DomainAnswer> {
  const domain = parseDomain(given.trim());
  if (typeof domain !== 'string') throw new Error('the domain was not checked');
  // Making a key takes its time, so a domain that is there already is found before.
  await requireFree(ports.store.db, projectId, domain);
  const domainId = ports.newId('dom');
  const selector = `postern-${domainId.slice(-8).toLowerCase()}`;
  const { privateKey } = await (ports.makeDkimKey ?? generateDkimKey)();
  const now = ports.clock.nowMicroseconds();
  const row: DomainTable = {
    domain_id: domainId,
    project_id: projectId,
    domain,
    state: 'unverified',
    dkim_selector: selector,
    dkim_private_sealed: seal(ports, 'dkim', privateKey),
    dkim_public: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    records_json: JSON.stringify(recordsFor(ports, domain, dkimRecord({ domain, selector, privateKey }))),
    verified_us: null,
    created_us: now,
    updated_us: now,
  };
  await ports.store.transaction(async (tx) => {
    await serialise(tx, `sending-domain:${projectId}:${domain}`);
    await requireFree(tx, projectId, domain);
    await tx.insertInto('mail_domains').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'create_sending_domain', target: domainId });
  });
  return domainAnswer(row);
}

async function requireFree(db: StoreHandle, projectId: string, domain: string): Promise<void> {
  const taken = await tables(db)
    .selectFrom('mail_domains')
    .select('domain_id')
    .where('project_id', '=', projectId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  if (taken)
    throw problem('conflict', `The domain ${domain} is in this project already, as ${taken.domain_id}.`);
}

/** Oldest first. */
export async function pageOfDomains(
  { store }: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<DomainAnswer>> {
  const { rows, next_cursor } = await page(
    request,
    'dom',
    ({ after, limit }) => {
      const query = store.db
        .selectFrom('mail_domains')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('domain_id')
        .limit(limit);
      return (after === null ? query : query.where('domain_id', '>', after)).execute();
    },
    (row) => row.domain_id,
  );
  return { rows: rows.map(domainAnswer), next_cursor };
}

/** @throws Failure not_found. */
export async function getSendingDomain(
  { store }: CampaignsPorts,
  projectId: string,
  domainId: string,
): Promise<DomainAnswer> {
  return domainAnswer(await findDomain(store.db, projectId, domainId));
}

/**
 * Looks its records up and notes how each stands. A look that fails tells nothing and changes no state.
 *
 * @throws Failure not_found.
 */
export async function verifySendingDomain(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  domainId: string,
): Promise<DomainAnswer> {
  const { store, clock } = ports;
  const before = await findDomain(store.db, projectId, domainId);
  const records = await lookUpRecords(ports, recordsOf(before));
  return store.transaction(async (tx) => {
    const found = await lockDomain(tx, projectId, domainId);
    const now = clock.nowMicroseconds();
    const state = stateAfter(found.state, records);
    const row: DomainTable = {
      ...found,
      state,
      records_json: JSON.stringify(records),
      verified_us: state === 'verified' && isAll(records) ? now : found.verified_us,
      updated_us: now,
    };
    await tx.updateTable('mail_domains').set(row).where('domain_id', '=', domainId).execute();
    await recordAct(tx, ports, {
      actor,
      action: 'verify_sending_domain',
      target: domainId,
      details: {
        state,
        records: Object.fromEntries(records.map(({ purpose, status }) => [purpose, status])),
      },
    });
    return domainAnswer(row);
  });
}

function stateAfter(before: DomainTable['state'], records: readonly DomainRecord[]): DomainTable['state'] {
  if (isAll(records)) return 'verified';
  const isWrong = records.some(({ status }) => status === 'missing' || status === 'mismatch');
  if (!isWrong || before === 'unverified') return before;
  return 'failing';
}

function isAll(records: readonly DomainRecord[]): boolean {
  return records.every(({ status }) => status === 'verified');
}

/** Deletes a domain with its key, or says what that would do. @throws Failure not_found. */
export async function deleteSendingDomain(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  domainId: string,
  dryRun: boolean,
): Promise<{ outcome: 'would_delete' | 'deleted'; effect: string; domain: DomainAnswer | null }> {
  return ports.store.transaction(async (tx) => {
    const found = await lockDomain(tx, projectId, domainId);
    const what = `the sending domain ${found.domain} and its DKIM key (selector ${found.dkim_selector})`;
    if (dryRun) {
      return { outcome: 'would_delete', effect: `Would delete ${what}.`, domain: domainAnswer(found) };
    }
    await tx.deleteFrom('mail_domains').where('domain_id', '=', domainId).execute();
    await recordAct(tx, ports, { actor, action: 'delete_sending_domain', target: domainId });
    return { outcome: 'deleted', effect: `Deleted ${what}.`, domain: null };
  });
}

async function findDomain(db: StoreHandle, projectId: string, domainId: string): Promise<DomainTable> {
  const row = await tables(db)
    .selectFrom('mail_domains')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('domain_id', '=', domainId)
    .executeTakeFirst();
  if (!row) throw noDomain(domainId);
  return row;
}

async function lockDomain(
  tx: CampaignsTransaction,
  projectId: string,
  domainId: string,
): Promise<DomainTable> {
  const query = tx.selectFrom('mail_domains').selectAll().where('project_id', '=', projectId);
  const row = await forUpdate(tx, query.where('domain_id', '=', domainId)).executeTakeFirst();
  if (!row) throw noDomain(domainId);
  return row;
}

function noDomain(domainId: string) {
  return problem('not_found', `There is no sending domain ${domainId} in this project.`);
}

function tables(db: StoreHandle): Kysely<CampaignsTables> {
  return db as unknown as Kysely<CampaignsTables>;
}
