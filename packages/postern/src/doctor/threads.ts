import { access, constants } from 'node:fs/promises';
import { systemClock, systemRandom } from '@postern/kit';
import { checkMattermost, checkSlack, type PlatformCheck, type PlatformConfig } from '@postern/threads';
import type { Config } from '../config/load.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** Checks of the threads service: where agents work, who may start them, and the platforms themselves. */

export async function checkThreads(config: Config): Promise<Finding[]> {
  const { threads } = config;
  if (threads === null) return [];
  const platforms = await Promise.all(threads.platforms.map(checkPlatform));
  return [await checkWorkingDir(threads.workingDir), checkUser(config), ...platforms.flat()];
}

async function checkWorkingDir(folder: string): Promise<Finding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok('threads.working_dir', folder);
  } catch {
    const message = `${folder} is no folder that can be read and written`;
    return failed('threads.working_dir', message, 'Make it, or set threads.workingDir to another');
  }
}

/** An agent runs as the user of the server, so only its own rules keep it out of the data folder. */
function checkUser({ dataDir }: Config): Finding {
  return warning(
    'threads.user',
    `Agents run as the user who owns ${dataDir}, and only the agent CLI's own rules keep them out of it`,
    'Where people you do not trust fully may start agents, run Postern in a container or as a user of its own',
  );
}

async function checkPlatform(platform: PlatformConfig): Promise<Finding[]> {
  const name = `platform.${platform.id}`;
  const who =
    platform.allowedUsers.length === 0
      ? [warning(name, 'allowedUsers is empty: nobody can start a session', 'Add ids or names of people')]
      : [];
  const checks = await checksOf(platform);
  const bad = checks.filter((check) => !check.ok);
  if (bad.length === 0) return [ok(name, `${platform.type}, ${platform.channelId}`), ...who];
  return [
    ...bad.map(({ name: what, problem, remedy }) =>
      failed(
        `${name}.${what}`,
        problem ?? 'It does not work',
        remedy ?? 'See the documentation of the platform',
      ),
    ),
    ...who,
  ];
}

async function checksOf(platform: PlatformConfig): Promise<readonly PlatformCheck[]> {
  const ports = { clock: systemClock, random: systemRandom };
  switch (platform.type) {
    case 'local':
      return [];
    case 'mattermost':
      return checkMattermost(platform, ports);
    case 'slack':
      return checkSlack(platform, ports);
  }
}
