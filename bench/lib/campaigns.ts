import type { BenchmarkContext } from './benchmark.ts';
import type { Database } from './databases.ts';
import { HttpClient } from './http-client.ts';
import { type HubProcess, startHub } from './hub.ts';
import { SAMPLE_MAIL, samplePerson } from './sample-mail.ts';

/** A hub that sends campaigns, and one project of it. Everything is asked over its API, as a client would. */

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
type Json = any;

export const SIGNED_DOMAIN = 'signed.example';
export const UNSIGNED_DOMAIN = 'unsigned.example';
/** Records of one import; the API takes no more. */
export const IMPORT_SIZE = 10_000;

export interface CampaignsHub {
  readonly hub: HubProcess;
  /** `api('GET /lists')`; a body is sent as JSON. @throws Error for an answer that is not 2xx. */
  api(line: string, body?: object): Promise<Json>;
  readonly secret: string;
  /** Starts it again on the same database, after it was stopped. */
  again(): Promise<CampaignsHub>;
}

export interface CampaignsHubOptions {
  readonly database: Database;
  /** Of the SMTP server on this machine. */
  readonly relayPort: number;
  readonly connections: number;
}

const SCOPES = [
  'projects:read',
  ...['lists', 'subscribers', 'segments', 'templates', 'campaigns', 'domains', 'suppressions'].flatMap(
    (area) => [`${area}:read`, `${area}:write`],
  ),
  'campaigns:launch',
  'reports:read',
];

export async function startCampaignsHub(
  options: CampaignsHubOptions,
  stack: BenchmarkContext['stack'],
): Promise<CampaignsHub> {
  const first = await start(options, stack);
  const admin = asking(first, first.hub.adminKey);
  const { id: project_id } = await admin('POST /projects', { name: 'Bench', slug: 'bench' });
  const { secret } = await admin('POST /api-keys', { project_id, name: 'bench', scopes: SCOPES });
  const withKey = (started: Started): CampaignsHub => ({
    hub: started.hub,
    api: asking(started, secret),
    secret,
    again: async () => withKey(await start(options, stack)),
  });
  return withKey(first);
}

interface Started {
  readonly hub: HubProcess;
  readonly client: HttpClient;
}

async function start(
  { database, relayPort, connections }: CampaignsHubOptions,
  stack: BenchmarkContext['stack'],
): Promise<Started> {
  const hub = await startHub({
    ...database,
    settings: {
      allowUnverifiedDomains: true,
      campaigns: {
        smtp: [{ url: `smtp://127.0.0.1:${relayPort}`, tls: 'none' }],
        engine: { connections },
        // The limit is not what is measured.
        rateLimit: { perMinute: 1_000_000 },
      },
    },
  });
  stack.defer(() => hub.stop());
  const client = new HttpClient(4);
  stack.defer(() => client[Symbol.dispose]());
  return { hub, client };
}

function asking({ hub, client }: Started, secret: string): CampaignsHub['api'] {
  return async (line, body) => {
    const [method = 'GET', path = ''] = line.split(' ');
    const text = await client.call({
      method,
      url: `${hub.url}/api/v1${path}`,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return text === '' ? null : JSON.parse(text);
  };
}

/** A list with so many sample people. */
export async function makeList({ api }: CampaignsHub, people: number): Promise<string> {
  const { id } = await api('POST /lists', { name: 'News' });
  for (let from = 0; from < people; from += IMPORT_SIZE) {
    await api(`POST /lists/${id}/subscribers/import`, {
      records: sampleRecords(from, Math.min(people, from + IMPORT_SIZE)),
    });
  }
  return id;
}

export function sampleRecords(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => samplePerson(from + index));
}

/** A draft of the sample mail. @param domain of its From address, which decides whether it is signed. */
export async function makeCampaign(
  { api }: CampaignsHub,
  listId: string,
  domain: string,
  ratePerSecond: number | null = null,
): Promise<string> {
  const { id } = await api('POST /campaigns', {
    name: 'Bench',
    list_ids: [listId],
    from: { name: 'News', email: `news@${domain}` },
    ...SAMPLE_MAIL,
    rate_per_second: ratePerSecond,
  });
  return id;
}

/** Polled so seldom that the asking costs nothing that could be measured. */
const POLL_MS = 20;

/** Waits until every result is written down. @throws Error when not all were accepted. */
export async function untilFinished({ api }: CampaignsHub, campaignId: string, sent: number): Promise<void> {
  for (;;) {
    const { state, counts } = await api(`GET /campaigns/${campaignId}`);
    if (state === 'finished' && counts.sent === sent) return;
    if (state !== 'running') throw new Error(`the campaign is ${state}: ${JSON.stringify(counts)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
