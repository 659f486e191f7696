import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { serveCommand } from '../../hub/launcher.ts';
import { Refusal } from '../../secrets/data-folder.ts';
import {
  LAUNCHD_LABEL,
  launchdPlist,
  SERVICE_NAME,
  type ServiceFacts,
  systemdUnit,
} from '../../service/units.ts';
import { DONE, type Invocation } from '../command.ts';

interface Service {
  readonly file: string;
  readonly content: string;
  /** What to run next, each a line. */
  readonly start: readonly string[];
  readonly stop: readonly string[];
}

/** `postern service install`: writes the unit of this user's service manager, and says how to start it. */
export async function installService(invocation: Invocation): Promise<number> {
  const { file, content, start } = await serviceOf(invocation);
  if (invocation.has('print')) {
    invocation.say(content.trimEnd());
    return DONE;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { mode: 0o600 });
  invocation.say(`Written: ${file}`);
  invocation.say('Start it, now and whenever the machine does, with:');
  for (const line of start) invocation.say(`  ${line}`);
  return DONE;
}

/** `postern service remove`: takes the unit away again; what runs is stopped first. */
export async function removeService(invocation: Invocation): Promise<number> {
  const { file, stop } = await serviceOf(invocation);
  await rm(file, { force: true });
  invocation.say(`Removed: ${file}`);
  invocation.say('If it still runs:');
  for (const line of stop) invocation.say(`  ${line}`);
  return DONE;
}

async function serviceOf(invocation: Invocation): Promise<Service> {
  const { config } = await invocation.config();
  const home = invocation.environment.HOME ?? homedir();
  const facts: ServiceFacts = {
    command: serveCommand,
    workingDirectory: config.file === null ? invocation.workingDirectory : dirname(config.file),
    environment: {
      POSTERN_DATA_DIR: config.dataDir,
      ...(config.file === null ? {} : { POSTERN_CONFIG: config.file }),
      // The agent CLI and git are looked up in it.
      PATH: invocation.environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    },
  };
  if (platform() === 'darwin') {
    const file = join(home, 'Library/LaunchAgents', `${LAUNCHD_LABEL}.plist`);
    return {
      file,
      content: launchdPlist(facts, join(home, 'Library/Logs/postern.log')),
      start: [`launchctl bootstrap gui/$(id -u) ${file}`],
      stop: [`launchctl bootout gui/$(id -u)/${LAUNCHD_LABEL}`],
    };
  }
  if (platform() === 'linux') {
    const name = `${SERVICE_NAME}.service`;
    return {
      file: join(invocation.environment.XDG_CONFIG_HOME || join(home, '.config'), 'systemd/user', name),
      content: systemdUnit(facts),
      start: [
        `systemctl --user daemon-reload`,
        `systemctl --user enable --now ${name}`,
        'loginctl enable-linger',
      ],
      stop: [`systemctl --user disable --now ${name}`],
    };
  }
  throw new Refusal('services are made for launchd and systemd; here, run postern serve by your own means');
}
