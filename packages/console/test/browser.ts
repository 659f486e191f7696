import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import type { FakePostern } from './fake/server.ts';

export { openBrowser } from './chrome.ts';

/** Builds the page once for the test run, into the folder that the server serves. */
export async function buildPage(): Promise<void> {
  await build({ configFile: new URL('../vite.config.ts', import.meta.url).pathname, logLevel: 'error' });
}

export interface SignedIn {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page's scripts and violations of its policy; a test may look, and the end of each does. */
  readonly errors: string[];
}

interface SignInOptions extends BrowserContextOptions {
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
