import { createServer, problemDialect } from '@postern/http';
import { idGenerator } from '@postern/kit';
import { type FakeClock, fakeClock, seededRandom } from '@postern/kit/testing';
import { generateDkimKey } from '@postern/mail';
import type { StoreLimits } from '@postern/store';
import { freshStore } from '@postern/store/testing';
import { onTestFinished } from 'vitest';
import { type CampaignsConfig, campaignsConfigSchema } from '../config.ts';
import { addToListCounts } from '../counts.ts';
import { bootstrapOf } from '../keys/secrets.ts';
import { campaignsMigrations } from '../migrations.ts';
import { mountCampaigns } from '../mount.ts';
import { type CampaignsOperation, campaignsOperations } from '../operations/index.ts';
import type { CampaignsPorts, CampaignsStore } from '../ports.ts';
import { subscriberIdOf } from '../subscribers/id.ts';
import type { CampaignsTables, CampaignTable, ListTable, ProjectTable, SubscriberTable } from '../tables.ts';
import { type HttpBench, httpBench } from './http-bench.ts';
import { MemoryLog } from './memory-log.ts';

/** The bootstrap admin key of every bench. */
export const BENCH_ADMIN_KEY = 'bench-admin-key-0123456789abcdef';

let dkimKey: ReturnType<typeof generateDkimKey> | undefined;

/** One key for all benches of a process, as two of them are compared and making one takes its time. */
function makeDkimKey(): ReturnType<typeof generateDkimKey> {
  dkimKey ??= generateDkimKey();
  return dkimKey;
}

export interface BenchOptions {
  readonly config?: Parameters<typeof campaignsConfigSchema.parse>[0];
  readonly limits?: Partial<StoreLimits>;
  readonly ports?: Partial<CampaignsPorts>;
}

export interface CampaignsBench {
  readonly ports: CampaignsPorts;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  /** Rows as they would be there; every column has a default. */
  makeProject(row?: Partial<ProjectTable>): Promise<ProjectTable>;
  makeList(projectId: string, row?: Partial<ListTable>): Promise<ListTable>;
  /** Counted in its list. */
  makeSubscriber(
    list: Pick<ListTable, 'project_id' | 'list_id'>,
    row?: Partial<SubscriberTable>,
  ): Promise<SubscriberTable>;
  makeCampaign(projectId: string, row?: Partial<CampaignTable>): Promise<CampaignTable>;
  /** A server with the REST routes and the MCP endpoint, made on the first call. */
  http(operations?: readonly CampaignsOperation[]): Promise<HttpBench>;
  /** One more process on the same database, with a clock of its own unless one is given. */
  again(clock?: FakeClock): Promise<CampaignsBench>;
}

/** The campaigns' ports over a database of their own, on a clock that only the test moves. */
export async function campaignsBench(
  engine: 'sqlite' | 'postgres',
  options: BenchOptions = {},
): Promise<CampaignsBench> {
  const { limits = {} } = options;
  const clock = fakeClock();
  const fresh = await freshStore<CampaignsTables>(engine, {
    migrations: campaignsMigrations,
    // A test that runs on the system's time runs on it everywhere.
    clock: options.ports?.clock ?? clock,
    limits,
  });
  let processes = 0;

  function processOn(store: CampaignsStore, clock: FakeClock): CampaignsBench {
    processes += 1;
    const random = seededRandom(processes);
    const log = new MemoryLog();
    const config: CampaignsConfig = campaignsConfigSchema.parse(options.config ?? {});
    const ports: CampaignsPorts = {
      store,
      place: fresh.place,
      clock,
      random,
      newId: idGenerator({ clock, random }),
      config,
      log,
      publicUrl: () => 'http://127.0.0.1:8080',
      installationKey: new Uint8Array(32).fill(7),
      bootstrap: bootstrapOf(BENCH_ADMIN_KEY),
      allowUnverifiedDomains: false,
      dnsServers: [],
      makeDkimKey,
      ...options.ports,
    };
    let http: Promise<HttpBench> | undefined;
    return {
      ports,
      clock,
      log,
      ...makers(ports),
      http: (operations = campaignsOperations) => {
        http ??= listen(ports, log, operations);
        return http;
      },
      again: async (other = fakeClock()) => processOn(await fresh.again({ clock: other, limits }), other),
    };
  }
  return processOn(fresh.store, clock);
}

async function listen(
  ports: CampaignsPorts,
  log: MemoryLog,
  operations: readonly CampaignsOperation[],
): Promise<HttpBench> {
  const { publicUrl } = ports;
  const dialect = problemDialect({ publicUrl });
  const app = createServer({ log, publicUrl, dialectFor: () => dialect });
  mountCampaigns(app, {
    ports,
    hosts: { publicUrl },
    log,
    dialect,
    operatorOf: async () => null,
    operations,
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  return httpBench(ports, app, url, BENCH_ADMIN_KEY);
}

function makers(
  ports: CampaignsPorts,
): Pick<CampaignsBench, 'makeProject' | 'makeList' | 'makeSubscriber' | 'makeCampaign'> {
  const { store, clock, newId } = ports;
  let counter = 0;
  return {
    async makeProject(row = {}) {
      const now = clock.nowMicroseconds();
      const slug = row.slug === undefined ? `project-${++counter}` : row.slug;
      const full: ProjectTable = {
        project_id: newId('prj'),
        name: 'Project',
        last_slug: slug ?? 'gone',
        sender_address: '1 Main Street, Springfield',
        created_us: now,
        updated_us: now,
        deleted_us: null,
        ...row,
        slug,
      };
      await store.db.insertInto('mail_projects').values(full).execute();
      return full;
    },
    async makeList(projectId, row = {}) {
      const now = clock.nowMicroseconds();
      const full: ListTable = {
        list_id: newId('lst'),
        project_id: projectId,
        name: 'List',
        description: null,
        opt_in: 'single',
        from_name: 'News',
        from_email: 'news@example.com',
        public: 0,
        created_us: now,
        updated_us: now,
        deleted_us: null,
        ...row,
      };
      await store.db.insertInto('mail_lists').values(full).execute();
      return full;
    },
    async makeSubscriber(list, row = {}) {
      const now = clock.nowMicroseconds();
      counter += 1;
      const email = row.email === undefined ? `person${counter}@example.org` : row.email;
      const full: SubscriberTable = {
        subscriber_id:
          email === null ? newId('sub') : subscriberIdOf(ports, list.list_id, email.toLowerCase()),
        project_id: list.project_id,
        list_id: list.list_id,
        email_key: email?.toLowerCase() ?? `erased:${counter}`,
        name: null,
        attributes_json: '{}',
        status: 'subscribed',
        consent_source: 'test',
        consent_at_us: now,
        consent_evidence: null,
        confirm_sent_us: null,
        created_us: now,
        updated_us: now,
        ...row,
        email,
      };
      await store.transaction(async (tx) => {
        await tx.insertInto('mail_subscribers').values(full).execute();
        await addToListCounts(tx, full.list_id, { [full.status]: 1 });
      });
      return full;
    },
    async makeCampaign(projectId, row = {}) {
      const now = clock.nowMicroseconds();
      const full: CampaignTable = {
        campaign_id: newId('cmp'),
        project_id: projectId,
        name: 'Campaign',
        list_ids_json: '[]',
        segment_id: null,
        from_name: 'News',
        from_email: 'news@example.com',
        reply_to: null,
        subject: 'Hello',
        preheader: null,
        template_id: null,
        html: '<p>Hello {{ subscriber.name }}</p><p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
        text: null,
        tracking_opens: 'off',
        tracking_clicks: 'off',
        send_at_us: null,
        max_lateness_seconds: 3_600,
        strict_variables: 0,
        rate_per_second: null,
        state: 'draft',
        state_reason: null,
        frozen_us: null,
        content_json: null,
        launched_us: null,
        finished_us: null,
        created_us: now,
        updated_us: now,
        ...row,
      };
      await store.db.insertInto('mail_campaigns').values(full).execute();
      return full;
    },
  };
}
