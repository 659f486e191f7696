import type { AddressInfo } from 'node:net';
import { adminOf } from '@postern/campaigns';
import {
  bearerToken,
  createServer,
  dialectByPrefix,
  fieldCodes,
  type HostPolicy,
  preconditionCodes,
  problemDialect,
  secretsEqual,
} from '@postern/http';
import {
  createInbox,
  fetchAttachment,
  type InboxPorts,
  inboxDialect,
  inboxPrefixes,
  mountInbox,
} from '@postern/inbox';
import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import { createChatService, mountLocalChat } from '@postern/local-chat';
import { getOrCreateSetting } from '@postern/store';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import { mountConsoleApi } from '../console/api.ts';
import { mountConsolePage } from '../console/page.ts';
import type { SessionPorts } from '../console/sessions.ts';
import { openDataFolder } from '../secrets/data-folder.ts';
import { obtainSecrets, type Secrets } from '../secrets/generated.ts';
import { Secret } from '../secrets/secret.ts';
import { version } from '../version.ts';
import { publicUrlOf } from './address.ts';
import { adminGate } from './admin.ts';
import { campaignsPorts, openCampaigns } from './campaigns.ts';
import { connectorSecrets, inboxConnectors } from './connectors.ts';
import { mountErrorPages } from './error-pages.ts';
import { mountHealth } from './health.ts';
import { startHousekeeping } from './housekeeping.ts';
import { inboxCommand } from './launcher.ts';
import { createLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { registerHttpMetrics, registerProcessMetrics } from './process-metrics.ts';
import { readinessOf } from './readiness.ts';
import { registerServiceMetrics } from './service-metrics.ts';
import { openState } from './state.ts';
import { directOwner, threadsChannels, threadsSecrets } from './threads-settings.ts';

/** Everything there is, wired together. Made by {@link openHub}; nothing runs and nothing listens before `start`. */
export interface Hub {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly app: FastifyInstance;
  readonly log: Logger;
  readonly sessions: SessionPorts;
  /** Base of the addresses others follow. */
  publicUrl(): string;
  /** Sets services and connectors to work. */
  start(): Promise<void>;
  /** Ends waiting calls, gives back what is in flight, closes the listener and the database. */
  close(): Promise<void>;
}

export interface HubOptions {
  /** Whether the log is for a person at a terminal. */
  readonly prettyLog?: boolean;
  /** Least level that is logged, when it is not the configuration's. */
  readonly logLevel?: string;
  /** A secret that makes its bearer an operator, for this process' own commands; no key need be alive for it. */
  readonly operatorSecret?: Secret;
}

/**
 * The composition root: opens data folder, secrets and database, and joins the services on one HTTP server.
 *
 * @throws Refusal, DataFolderLockedError or DatabaseTooNewError, each with a line for the operator.
 */
export async function openHub(config: Config, options: HubOptions = {}): Promise<Hub> {
  // Nothing that is written from here on is for others to read, whoever writes it.
  process.umask(0o077);
  const clock = systemClock;
  const random = systemRandom;
  const mended = openDataFolder(config.dataDir);
  const secrets = obtainSecrets(config, random);
  const log = createLog({
    level: options.logLevel ?? config.logLevel,
    pretty: options.prettyLog ?? false,
    secrets: secretsIn(config, secrets),
  });
  for (const line of mended) log.warn(line);
  const state = await openState(config, clock, log);
  if (state.migrated.length > 0) log.info({ migrations: state.migrated }, 'database brought up to date');
  const { store, blobs } = state;

  const publicUrl = (): string => publicUrlOf(config, addressOf(app));
  const hosts: HostPolicy = { publicUrl };
  const problem = problemDialect({ publicUrl });
  const app = createServer({
    log,
    publicUrl,
    dialectFor: dialectByPrefix(new Map(inboxPrefixes.map((prefix) => [prefix, inboxDialect])), problem),
  });
  const metrics = new Metrics();
  registerHttpMetrics(metrics, app);
  const stopMetrics = registerProcessMetrics(metrics);

  const sessions: SessionPorts = { store, clock, random };
  const mailPorts = await campaignsPorts({ config, secrets, store, clock, random, log, publicUrl });
  const isOperator = (secret: string | null): boolean =>
    secret !== null &&
    options.operatorSecret !== undefined &&
    secretsEqual(secret, options.operatorSecret.reveal());
  const gate = adminGate({
    ...hosts,
    adminOf: async (secret) => (isOperator(secret) ? COMMAND_LINE : adminOf(mailPorts, secret)),
    sessions,
  });
  const chat = createChatService({
    store,
    blobs,
    clock,
    random,
    publicUrl,
    ownedChannels: threadsChannels(config),
    ...directOwner(config),
  });
  mountLocalChat(app, {
    chat,
    dialect: problem,
    log,
    authenticate: (request) => gate.require(request, problem),
  });

  const ports: InboxPorts = {
    store,
    blobs,
    clock,
    random,
    newId: idGenerator({ clock, random }),
    config: config.inbox,
    log,
    publicUrl,
    fetchAttachment,
    signingKey: await signingKey(),
  };
  const inbox = createInbox(ports, inboxConnectors(config, { chat, clock, log }));
  mountInbox(app, {
    inbox,
    ports,
    credentials: { bearer: secrets.bearerToken.reveal(), adminOf: gate.adminOf },
    hosts,
    log,
    operatorOf: (request) => gate.loginOf(request, inboxDialect),
    httpDialect: problem,
  });

  registerServiceMetrics(metrics, { store, connectors: () => inbox.health() });

  const campaigns = openCampaigns(app, mailPorts, {
    dialect: problem,
    hosts,
    operatorOf: async (request) =>
      isOperator(bearerToken(request.headers.authorization)) ? COMMAND_LINE : gate.loginOf(request, problem),
  });

  const threads =
    config.threads === null
      ? null
      : (await import('./threads.ts')).openThreads(app, {
          config,
          store,
          clock,
          random,
          log,
          chat,
          dialect: problem,
          environment: process.env,
          publicUrl,
          operatorOf: (request) => gate.require(request, problem),
        });

  const services = { inbox: true, threads: threads !== null, campaigns: true };
  mountConsoleApi(app, {
    ...hosts,
    dialect: problem,
    log,
    gate,
    context: { sessions, version, publicUrl, services, inboxCommand },
  });
  mountConsolePage(app, problem);
  mountErrorPages(app, {
    catalogues: [problem.catalogue, inboxDialect.catalogue],
    inside: { validation_failed: fieldCodes, precondition_failed: preconditionCodes },
    dialect: problem,
  });
  let stopHousekeeping: (() => Promise<void>) | undefined;
  let stage: 'starting' | 'running' | 'stopping' = 'starting';
  mountHealth(app, {
    dialect: problem,
    gate,
    metrics,
    readiness: () =>
      readinessOf({
        stage,
        store,
        clock,
        connectors: inbox.health(),
        campaigns: campaigns.health(),
        platforms: threads?.health() ?? null,
      }),
  });

  async function signingKey(): Promise<Uint8Array> {
    const make = () => Buffer.from(random.bytes(32)).toString('base64');
    return Buffer.from(await getOrCreateSetting(store, 'attachments.signing_key', make), 'base64');
  }

  /** Sessions say a last word in the chat, so that goes after them. */
  async function stopThreads(): Promise<void> {
    await threads?.stop();
    await chat.stop();
  }

  async function close(): Promise<void> {
    stage = 'stopping';
    // The server first: it stops taking requests at once, and waits for those it has.
    await Promise.all([app.close(), inbox.stop(), campaigns.stop(), stopThreads()]);
    await stopHousekeeping?.();
    stopMetrics();
    await state.close();
  }

  return {
    config,
    secrets,
    app,
    log,
    sessions,
    publicUrl,
    async start() {
      await chat.start();
      inbox.start();
      await campaigns.start();
      await threads?.start();
      stopHousekeeping = startHousekeeping({ store, blobs, clock, log });
      stage = 'running';
    },
    close,
  };
}

function addressOf(app: FastifyInstance): AddressInfo | null {
  const address = app.server.address();
  return typeof address === 'object' ? address : null;
}

/** Name under which the command line acts; the audits have it. */
const COMMAND_LINE = 'cli';

/** All that must not show in a log line, wherever it comes from. */
function secretsIn(config: Config, secrets: Secrets): Secret[] {
  const password = config.databaseUrl === null ? '' : new URL(config.databaseUrl.reveal()).password;
  return [
    secrets.adminKey,
    secrets.bearerToken,
    ...(config.databaseUrl === null ? [] : [config.databaseUrl, new Secret(decodeURIComponent(password))]),
    ...config.campaigns.smtp.flatMap(({ url }) => passwordsIn(url)),
    ...(config.campaigns.bounces.imap ? [new Secret(config.campaigns.bounces.imap.password)] : []),
    ...threadsSecrets(config),
    ...connectorSecrets(config),
    ...config.inbox.webhooks.flatMap((webhook) => webhook.secrets.map((secret) => new Secret(secret))),
  ];
}

/** An address with a password, and the password by itself. */
function passwordsIn(url: string): Secret[] {
  const { password } = new URL(url);
  return password === '' ? [] : [new Secret(url), new Secret(decodeURIComponent(password))];
}
