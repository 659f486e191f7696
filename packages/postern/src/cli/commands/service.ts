import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { serveCommand } from '../../hub/launcher.ts';
import { Refusal } from '../../secrets/data-folder.ts';
import { serviceEnvironment } from '../../service/environment.ts';
import {
  LAUNCHD_LABEL,
  launchdPlist,
  SERVICE_NAME,
  type ServiceFacts,
  systemdUnit,
} from '../../service/units.ts';
import { DONE, type Invocation } from '../command.ts';

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

/** What a service manager wants: where its units are, and how they are started and stopped. */
interface Manager {
  readonly file: string;
  /** What the manager itself makes out of the unit. */
  readonly links: readonly string[];
  unit(facts: ServiceFacts): string;
  /** What to run next, each a line. */
  readonly start: readonly string[];
  readonly stop: readonly string[];
}

/** `postern service install`: writes the unit of this user's service manager, and says how to start it. */
export async function installService(invocation: Invocation): Promise<number> {
  const { file, unit, start } = managerOf(invocation);
  const { workingDirectory, environment } = invocation;
  const loaded = await invocation.config();
  const content = unit({
    command: serveCommand,
    workingDirectory: loaded.config.file === null ? workingDirectory : dirname(loaded.config.file),
    environment: serviceEnvironment(loaded, { workingDirectory, path: environment.PATH ?? USUAL_PATH }),
  });
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

/** `postern service remove`: takes the unit away again, and says how to end what still runs. */
export async function removeService(invocation: Invocation): Promise<number> {
  const { file, links, stop } = managerOf(invocation);
  for (const path of [file, ...links]) await rm(path, { force: true });
  invocation.say(`Removed: ${file}`);
  invocation.say('If it still runs:');
  for (const line of stop) invocation.say(`  ${line}`);
  return DONE;
}

function managerOf({ environment }: Invocation): Manager {
  const home = environment.HOME ?? homedir();
  if (platform() === 'darwin') {
    const file = join(home, 'Library/LaunchAgents', `${LAUNCHD_LABEL}.plist`);
    return {
      file,
      links: [],
      unit: (facts) => launchdPlist(facts, join(home, 'Library/Logs/postern.log')),
      start: [`launchctl bootstrap gui/$(id -u) "${file}"`],
      stop: [`launchctl bootout gui/$(id -u)/${LAUNCHD_LABEL}`],
    };
  }
  if (platform() === 'linux') {
    const name = `${SERVICE_NAME}.service`;
    const folder = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'systemd/user');
    return {
      file: join(folder, name),
      // `systemctl disable` would refuse to take it away once the unit is gone.
      links: [join(folder, 'default.target.wants', name)],
      unit: systemdUnit,
      start: [
        `systemctl --user daemon-reload`,
        `systemctl --user enable --now ${name}`,
        'loginctl enable-linger',
      ],
      stop: [`systemctl --user stop ${name}`, `systemctl --user daemon-reload`],
    };
  }
  throw new Refusal('services are made for launchd and systemd; here, run postern serve by your own means');
}
