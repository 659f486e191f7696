import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { type Browser, chromium } from 'playwright-core';

/** A real browser for the tests: the packaged one on Linux, elsewhere the Chrome of the machine. */
export async function openBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
  const executablePath = process.env.CHROME_PATH ?? (await packagedChrome());
  if (executablePath !== null) return chromium.launch({ executablePath, args });
  return chromium.launch({ channel: 'chrome', args });
}

async function packagedChrome(): Promise<string | null> {
  if (platform() !== 'linux' || arch() !== 'x64') return null;
  const { default: packaged } = await import('@sparticuz/chromium');
  const path = await packaged.executablePath();
  return existsSync(path) ? path : null;
}
