import { Resolver } from 'node:dns/promises';
import type { CampaignsPorts } from '../ports.ts';
import type { DomainRecord, RecordStatus } from './records.ts';

/** Looks the records of a domain up, and judges what is there. */

/** Of one try, in milliseconds; with two tries and all records at a time a look ends within a few seconds. */
const TRY_MS = 2_000;
const TRIES = 2;
/** What is shown of a record; nobody has a longer one that is right. */
const LONGEST_FOUND = 2_000;

type Judgement = Pick<DomainRecord, 'status' | 'found'>;

/** Every record with its status and what was found; never throws for what DNS does. */
export async function lookUpRecords(
  { dnsServers }: Pick<CampaignsPorts, 'dnsServers'>,
  records: readonly DomainRecord[],
): Promise<DomainRecord[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  return Promise.all(records.map(async (record) => ({ ...record, ...(await lookUp(resolver, record)) })));
}

async function lookUp(resolver: Resolver, record: DomainRecord): Promise<Judgement> {
  try {
    switch (record.purpose) {
      case 'dkim':
        return judgeDkim(await texts(resolver, record.name), record.value);
      case 'spf':
        return judgeSpf(await texts(resolver, record.name), record.value);
      case 'dmarc':
        return await judgeDmarc(resolver, record.name);
      case 'return_path':
        return await judgeReturnPath(resolver, record);
    }
  } catch (error) {
    return { status: 'error', found: `the lookup failed: ${codeOf(error)}` };
  }
}

/** TXT records, each in one piece; none when the name has none. */
function texts(resolver: Resolver, name: string): Promise<string[]> {
  return orNone(async () => (await resolver.resolveTxt(name)).map((strings) => strings.join('')));
}

async function orNone<Item>(look: () => Promise<Item[]>): Promise<Item[]> {
  try {
    return await look();
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes(codeOf(error))) return [];
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function judgement(status: RecordStatus, found: readonly string[]): Judgement {
  return {
    status,
    found: found.length === 0 ? null : found.join('\n').slice(0, LONGEST_FOUND).toWellFormed(),
  };
}

/** The key itself has to be the same (RFC 6376, 3.6.1); other tags may stand beside it. */
function judgeDkim(found: readonly string[], expected: string): Judgement {
  const key = tagsOf(expected).get('p');
  const right = found.find((text) => {
    const tags = tagsOf(text);
    return (
      tags.get('p') === key && (tags.get('v') ?? 'DKIM1') === 'DKIM1' && (tags.get('k') ?? 'rsa') === 'rsa'
    );
  });
  if (right !== undefined) return judgement('verified', [right]);
  return judgement(found.length === 0 ? 'missing' : 'mismatch', found);
}

/** `tag=value` pairs; white space within a value means nothing. */
function tagsOf(text: string): Map<string, string> {
  return new Map(
    text.split(';').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at === -1
        ? []
        : [[pair.slice(0, at).trim().toLowerCase(), pair.slice(at + 1).replace(/\s+/g, '')]];
    }),
  );
}

/** One record, with our mechanism in it; whatever else a relay needs may stand beside (RFC 7208, 4.5). */
function judgeSpf(found: readonly string[], expected: string): Judgement {
  const policies = found.filter((text) => /^v=spf1(?: |$)/i.test(text));
  const [policy] = policies;
  if (policy === undefined) return judgement('missing', []);
  if (policies.length > 1) return judgement('mismatch', policies);
  const terms = new Set(
    policy
      .toLowerCase()
      .split(/ +/)
      .map((term) => term.replace(/^\+/, '')),
  );
  const [, ours = ''] = expected.toLowerCase().split(' ');
  return judgement(terms.has(ours) && !terms.has('all') ? 'verified' : 'mismatch', policies);
}

/** As RFC 9989 has it for the walk up the tree. */
const MOST_DMARC_LOOKS = 8;

/** Any policy will do, also one further up the tree. */
async function judgeDmarc(resolver: Resolver, name: string): Promise<Judgement> {
  const [, ...above] = name.split('.').slice(1);
  const upper = above.slice(1 - MOST_DMARC_LOOKS);
  const parents = upper.slice(0, -1).map((_label, index) => `_dmarc.${upper.slice(index).join('.')}`);
  for (const place of [name, ...parents]) {
    const found = (await texts(resolver, place)).filter((text) => /^v *= *DMARC1 *(?:;|$)/.test(text));
    if (found.length > 0) return judgement(found.length === 1 ? 'verified' : 'mismatch', found);
  }
  return judgement('missing', []);
}

async function judgeReturnPath(resolver: Resolver, { name, value }: DomainRecord): Promise<Judgement> {
  const exchanges = await orNone(() => resolver.resolveMx(name));
  const found = exchanges.map(({ exchange, priority }) => `${priority} ${exchange}`);
  const [, host = ''] = value.split(' ');
  const isOurs = exchanges.some(({ exchange }) => exchange.toLowerCase().replace(/\.$/, '') === host);
  if (isOurs) return judgement('verified', found);
  return judgement(found.length === 0 ? 'missing' : 'mismatch', found);
}
