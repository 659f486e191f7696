import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { build } from 'vite';
import type { FakePostern } from './fake/server.ts';

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

/** Builds the page as it is shipped, into a folder of its own, so that tests never meet a stale one. */
export async function buildPage(): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-console-'));
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true },
    });
  } finally {
    process.env.NODE_ENV = before;
  }
  return pathToFileURL(`${folder}/`);
}

export interface SignedIn {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page's scripts and violations of its policy; the end of each test looks. */
  readonly errors: string[];
}

export interface SignInOptions extends BrowserContextOptions {
  /** Who speaks; null leaves the choice to the page. */
  readonly person?: { readonly id: string; readonly name: string } | null;
}

/** A context of its own with a session, and a page that has not gone anywhere yet. */
export async function signIn(
  browser: Browser,
  postern: FakePostern,
  { person = { id: 'anna', name: 'Anna Berg' }, ...options }: SignInOptions = {},
): Promise<SignedIn> {
  const context = await browser.newContext({ baseURL: postern.url, ...options });
  await context.addCookies([postern.newSession()]);
  if (person !== null) {
    await context.addInitScript((value) => {
      if (localStorage.getItem('postern.person') === null) localStorage.setItem('postern.person', value);
    }, JSON.stringify(person));
  }
  const page = await context.newPage();
  return { page, context, errors: watch(page) };
}

/** A failed request is told on the console by the browser itself, and tests make requests fail on purpose. */
const EXPECTED = /Failed to load resource|net::ERR/;

export function watch(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) errors.push(message.text());
  });
  return errors;
}
