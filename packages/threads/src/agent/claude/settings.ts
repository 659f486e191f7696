import { realpathSync } from 'node:fs';
import type { AgentLaunch } from '../agent.ts';

/** The one `--settings` value. It outranks the settings of the user and of the project. */
export function agentSettings({
  permissionMode,
  deniedPaths,
  autoMemoryDir,
}: Pick<AgentLaunch, 'permissionMode' | 'deniedPaths' | 'autoMemoryDir'>): string {
  return JSON.stringify({
    autoMemoryEnabled: autoMemoryDir !== null,
    ...(autoMemoryDir === null ? {} : { autoMemoryDirectory: autoMemoryDir }),
    permissions: {
      deny: denyRules(deniedPaths),
      // Else a file in the working folder could turn the questions off.
      ...(permissionMode === 'default' ? { defaultMode: 'default' } : {}),
    },
  });
}

/**
 * Rules that keep files and folders from the CLI's own tools and from the programs whose arguments it
 * understands. A program that opens a file by itself is not held back: people see such a command before it runs,
 * and in bypass mode nothing but the operating system does.
 */
function denyRules(paths: readonly string[]): string[] {
  const places = new Set(paths.flatMap((path) => [path, realPath(path)]));
  return [...places].flatMap((place) => {
    const pattern = patternOf(place);
    return ['Read', 'Edit'].flatMap((tool) => [`${tool}(${pattern})`, `${tool}(${pattern}/**)`]);
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** An absolute path begins with two slashes in a rule; the rest is a pattern as in gitignore. */
function patternOf(path: string): string {
  const slashes = path.replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`);
  const whole = process.platform === 'win32' ? slashes.replaceAll('\\', '/') : path;
  return `/${whole.replace(/\/+$/, '').replace(/[*?[\]\\]/g, '\\$&')}`;
}
