import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { PlatformError } from '@postern/threads';
import type { Config } from '../config/load.ts';
import { checkPlatform as askPlatform, lookUpOf } from '../init/platforms.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** Checks of the threads service: where agents work, as whom, who may start them, and the platforms themselves. */

type Threads = NonNullable<Config['threads']>;
type Platform = Threads['platforms'][number];

/** More names than this are not looked up one by one. */
const MOST_LOOKED_UP = 50;
const FOR_OTHERS = 0o077;
const isWindows = process.platform === 'win32';

/** @param checkMs How long the checks of one platform may take together, in milliseconds. */
export async function checkThreads(config: Config, checkMs?: number): Promise<Finding[]> {
  const { threads, dataDir } = config;
  if (threads === null) return [];
  const platforms = await Promise.all(threads.platforms.map((platform) => checkPlatform(platform, checkMs)));
  return [
    checkFolder('threads.working_dir', 'threads.workingDir', threads.workingDir, dataDir),
    ...threads.allowedDirs.map((folder) =>
      checkFolder('threads.allowed_dirs', 'threads.allowedDirs', folder, dataDir),
    ),
    ...threads.claudeAccounts.map(checkAccount),
    checkUser(dataDir),
    ...checkAudit(join(dataDir, 'audit'), threads),
    ...platforms.flat(),
  ];
}

function checkFolder(check: string, setting: string, folder: string, dataDir: string): Finding {
  if (!isFolder(folder) || !isOpen(folder, constants.R_OK | constants.W_OK | constants.X_OK)) {
    return failed(
      check,
      `${folder} is no folder that can be read and written`,
      `Make it, or set ${setting} to another`,
    );
  }
  if (!dataDir.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return ok(check, folder);
  return warning(
    check,
    `${folder} holds the data folder, and only the agent CLI's own rules keep agents out of it`,
    `Set ${setting} to a folder of its own`,
  );
}

function checkAccount({ id, home, apiKeyFile }: Threads['claudeAccounts'][number]): Finding {
  const check = `threads.account.${id}`;
  if (home !== undefined) {
    return isFolder(home) && isOpen(home, constants.R_OK | constants.X_OK)
      ? ok(check, `A login in ${home}`)
      : failed(check, `${home} is no folder that can be read`, 'Log the agent CLI in with this home');
  }
  const file = apiKeyFile ?? '';
  if (!isOpen(file, constants.R_OK)) {
    return failed(check, `${file} cannot be read`, 'Write the key into it, for the user of the server alone');
  }
  return isLoose(file)
    ? failed(check, `${file} can be read by others`, `Run chmod 600 ${file}`)
    : ok(check, `A key in ${file}`);
}

/** An agent runs as the user of the server, so only its own rules keep it out of the data folder. */
function checkUser(dataDir: string): Finding {
  return warning(
    'threads.user',
    `Agents run as the user who owns ${dataDir}, and only the agent CLI's own rules keep them out of it`,
    'Where people you do not trust fully may start agents, run Postern in a container or as a user of its own',
  );
}

function checkAudit(folder: string, { platforms }: Threads): Finding[] {
  const check = 'threads.audit';
  const off = platforms.filter(({ auditLog }) => !auditLog).map(({ id }) => id);
  const findings =
    off.length === 0
      ? []
      : [
          warning(
            check,
            `Nothing is put on record for ${off.join(', ')}`,
            'Take auditLog: false out, so that it is known who approved what',
          ),
        ];
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return [...findings, ok(check, `${folder}; the first session makes it`)];
  if (!stats.isDirectory() || !isOpen(folder, constants.R_OK | constants.W_OK | constants.X_OK)) {
    const fix = 'Make it a folder of the account that runs Postern; move what is there away, and keep it';
    return [...findings, failed(check, `${folder} is no folder that can be written to`, fix)];
  }
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  for (const file of files.map((name) => join(folder, name))) {
    if (!lstatSync(file).isFile()) {
      const fix = 'Find out who has put it there; records are written to plain files only';
      return [...findings, failed(check, `${file} is a link or no file`, fix)];
    }
    if (isLoose(file)) {
      return [...findings, failed(check, `${file} can be read by others`, `Run chmod 600 ${file}`)];
    }
  }
  return [...findings, ok(check, `${folder}; postern audit verify checks the records`)];
}

async function checkPlatform(platform: Platform, checkMs?: number): Promise<Finding[]> {
  const name = `platform.${platform.id}`;
  const findings = [...checkPeople(name, platform), ...checkMode(name, platform)];
  if (platform.type === 'local') return [ok(name, `local, ${platform.channelId}`), ...findings];
  const signal = new AbortController().signal;
  const bad = (await askPlatform(platform, signal, checkMs)).filter((check) => !check.ok);
  if (bad.length === 0) {
    const missing = await checkNames(name, platform.allowedUsers, lookUpOf(platform, signal));
    return [ok(name, `${platform.type}, ${platform.channelId}`), ...missing, ...findings];
  }
  return [
    ...bad.map(({ name: what, problem, remedy }) =>
      failed(
        `${name}.${what.replaceAll(' ', '_')}`,
        (problem ?? 'It does not work').replace(/\.$/, ''),
        remedy?.replace(/\.$/, '') ?? `See docs/${platform.type}.md`,
      ),
    ),
    ...findings,
  ];
}

function checkPeople(name: string, { allowedUsers }: Platform): Finding[] {
  if (allowedUsers.length > 0) return [];
  const message = 'allowedUsers is empty: nobody can start a session';
  return [warning(`${name}.people`, message, 'Add ids or names of people')];
}

function checkMode(name: string, { permissionMode }: Platform): Finding[] {
  if (permissionMode !== 'bypass') return [];
  const check = `${name}.permission_mode`;
  if (process.getuid?.() === 0 && process.env.IS_SANDBOX !== '1') {
    const fix = 'Run Postern as another user, or in a container with IS_SANDBOX=1';
    return [warning(check, 'bypass as root: the agent CLI refuses to run so', fix)];
  }
  const message = 'bypass: whoever may start a session can have anything done that this user can';
  return [warning(check, message, 'Set permissionMode to default, unless all of this is in a container')];
}

/** Names that nobody has are no fault: somebody may have them yet. */
async function checkNames(
  name: string,
  entries: readonly string[],
  lookUp: ReturnType<typeof lookUpOf>,
): Promise<Finding[]> {
  const unknown: string[] = [];
  for (const entry of entries.slice(0, MOST_LOOKED_UP)) {
    try {
      if ((await lookUp.person(entry)) === null) unknown.push(entry);
    } catch (error) {
      // It has just answered to all else; the next look will tell.
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  if (unknown.length === 0) return [];
  const message = `allowedUsers: nobody there is called ${unknown.join(', ')}`;
  return [warning(`${name}.people`, message, 'Correct the name, or take it out')];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isOpen(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function isLoose(path: string): boolean {
  return !isWindows && (statSync(path).mode & FOR_OTHERS) !== 0;
}
