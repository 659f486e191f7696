import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, ErrorDialect, Random } from '@postern/kit';
import { idGenerator } from '@postern/kit';
import type { ChatService } from '@postern/local-chat';
import type { Store } from '@postern/store';
import {
  type Agent,
  bridgeEnvironment,
  claudeAgent,
  createThreads,
  localPlatform,
  mattermostPlatform,
  mountThreads,
  openAudit,
  type Platform,
  type PlatformConfig,
  type RunningThreads,
  slackPlatform,
  type ThreadsConfig,
  type ThreadsTables,
} from '@postern/threads';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../config/load.ts';
import { auditFolder } from '../secrets/data-folder.ts';
import { threadsCommand } from './launcher.ts';
import { CHAT_OWNER, tokensOf } from './threads-settings.ts';

/** What the hub has for the threads service. */
export interface ThreadsMeans {
  readonly config: Config;
  readonly store: Store<ThreadsTables>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly chat: ChatService;
  readonly dialect: ErrorDialect;
  readonly environment: NodeJS.ProcessEnv;
  publicUrl(): string;
  /** Name of the operator who asks. @throws Failure when nobody known does. */
  operatorOf(request: FastifyRequest): Promise<string>;
}

/** `<data folder>-agents`: what agents may touch lies beside the data folder, which they may not. */
export function agentFolder(dataDir: string): string {
  return `${dataDir}-agents`;
}

/** Mounts the threads service; null where it is not configured. Nothing works by itself before `start`. */
export function openThreads(app: FastifyInstance, means: ThreadsMeans): RunningThreads | null {
  const { config, store, clock, random, log } = means;
  const { threads: settings, dataDir } = config;
  if (settings === null) return null;
  const audit = openAudit({
    folder: auditFolder(dataDir),
    clock,
    log,
    isOn: (platformId) => settings.platforms.find(({ id }) => id === platformId)?.auditLog ?? false,
    secrets: settings.platforms.flatMap(tokensOf),
  });
  const agent = claudeAgent({
    command: config.claudePath,
    env: means.environment,
    filesDir: join(dataDir, 'agents'),
    toolsServer({ bridge, features }) {
      const [command, ...args] = threadsCommand;
      return { command, args, env: bridgeEnvironment({ ...bridge, features }) };
    },
    clock,
    newUuid: randomUUID,
    log,
  });
  const threads = createThreads(
    {
      store,
      clock,
      random,
      newId: idGenerator({ clock, random }),
      log,
      agent,
      audit,
      dataDir,
      agentDir: agentFolder(dataDir),
      deniedPaths: [dataDir, ...(config.file === null ? [] : [config.file])],
    },
    settings,
    settings.platforms.map((behaviour) => ({ platform: platformOf(behaviour, means), behaviour })),
  );
  mountThreads(app, {
    threads,
    dialect: means.dialect,
    log,
    authenticate: (request) => means.operatorOf(request),
  });
  return {
    ...threads,
    async start() {
      await threads.start();
      void warnOfWhatIsMissing(settings, agent, log);
    },
  };
}

/** What lets the service run and no session begin; doctor says more. */
async function warnOfWhatIsMissing(settings: ThreadsConfig, agent: Agent, log: Logger): Promise<void> {
  for (const { id, allowedUsers } of settings.platforms) {
    if (allowedUsers.length === 0)
      log.warn(`threads: nobody may begin a session on ${id}: its allowedUsers is empty`);
  }
  if (!existsSync(settings.workingDir)) {
    log.warn(
      `threads: the working folder ${settings.workingDir} does not exist; make it, or set threads.workingDir`,
    );
  }
  const found = await agent
    .check()
    .catch((error: unknown) => ({ ok: false as const, problem: String(error) }));
  if (!found.ok) log.warn(`threads: no session can begin: ${found.problem} (npx postern doctor says more)`);
}

function platformOf(configured: PlatformConfig, means: ThreadsMeans): Platform {
  const { clock, random, log, chat, publicUrl } = means;
  const { id, channelId, botName } = configured;
  switch (configured.type) {
    case 'local':
      return localPlatform({
        id,
        botName,
        channelId,
        directMessages: configured.directMessages,
        chat: chat.port(CHAT_OWNER),
        clock,
        random,
        publicUrl,
      });
    case 'mattermost':
      return mattermostPlatform({ ...configured, clock, random, log });
    case 'slack':
      return slackPlatform({ ...configured, clock, random, log });
  }
}
