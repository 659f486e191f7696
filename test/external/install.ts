import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claude, conformance, inspector, manifestFolder, toolsFolder } from './tool-paths.ts';

/**
 * Installs the external clients into the cache folder, unless exactly these are there already. The root's
 * `npm ci` leaves them out: they are larger than everything else together, and only CI needs them.
 */

const MANIFESTS = ['package.json', 'package-lock.json', '.npmrc'];
/** Written last, so that an installation that was cut short is no installation. */
const stamp = join(toolsFolder, 'installed');

const wanted = hashOfManifests();
if (!isInstalled()) {
  process.exitCode = install();
}

function isInstalled(): boolean {
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === wanted &&
    [claude, inspector, conformance].every((tool) => existsSync(tool))
  );
}

function install(): number {
  mkdirSync(toolsFolder, { recursive: true });
  rmSync(stamp, { force: true });
  for (const name of MANIFESTS) copyFileSync(join(manifestFolder, name), join(toolsFolder, name));
  const { status, error } = spawnSync('npm', ['ci'], {
    cwd: toolsFolder,
    stdio: ['ignore', 'inherit', 'inherit'],
    // npm is a script on Windows.
    shell: process.platform === 'win32',
  });
  if (error || status !== 0) {
    console.error(
      `the external tools could not be installed: ${error?.message ?? `npm ended with ${status}`}`,
    );
    return 1;
  }
  writeFileSync(stamp, wanted);
  return 0;
}

function hashOfManifests(): string {
  const hash = createHash('sha256');
  for (const name of MANIFESTS) hash.update(readFileSync(join(manifestFolder, name))).update('\0');
  return hash.digest('hex');
}
