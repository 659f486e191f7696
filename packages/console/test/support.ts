import { rm } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { buildPage, openBrowser, type SignedIn, type SignInOptions, signIn, watch } from './browser.ts';
import { type FakePostern, startFakePostern } from './fake/server.ts';

/** Longest time a page may take to show what it should; no test waits for this when all is well. */
const PATIENCE_MILLISECONDS = 10_000;

export interface ConsoleSetup {
  /** A fresh fake for each test. */
  readonly postern: FakePostern;
  readonly browser: Browser;
  /** Opens a page of the console, signed in. */
  open(path: string, options?: SignInOptions): Promise<Page>;
  /** The same with what hangs on the page. */
  openAll(path: string, options?: SignInOptions): Promise<SignedIn>;
  /** A page without a session. */
  openSignedOut(path: string): Promise<Page>;
}

/** Sets up browser, build and fake for a test file; after each test the page must have had no fault. */
export function setUpConsole(seed: (postern: FakePostern) => void = () => {}): ConsoleSetup {
  let browser: Browser;
  let directory: URL;
  let postern: FakePostern;
  let errors: string[][] = [];

  beforeAll(async () => {
    [browser, directory] = await Promise.all([openBrowser(), buildPage()]);
  });

  afterAll(async () => {
    await browser.close();
    await rm(directory, { recursive: true });
  });

  beforeEach(async () => {
    postern = await startFakePostern(directory);
    seed(postern);
    errors = [];
  });

  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await postern.close();
    expect(errors.flat()).toEqual([]);
    expect(postern.complaints).toEqual([]);
  });

  async function openAll(path: string, options: SignInOptions = {}): Promise<SignedIn> {
    const signedIn = await signIn(browser, postern, options);
    signedIn.page.setDefaultTimeout(PATIENCE_MILLISECONDS);
    errors.push(signedIn.errors);
    await signedIn.page.goto(path);
    return signedIn;
  }

  return {
    get postern() {
      return postern;
    },
    get browser() {
      return browser;
    },
    openAll,
    open: async (path, options) => (await openAll(path, options)).page,
    async openSignedOut(path) {
      const context = await browser.newContext({ baseURL: postern.url });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MILLISECONDS);
      errors.push(watch(page));
      await page.goto(path);
      return page;
    },
  };
}

/** Waits until a value is what is expected. */
export function eventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, { timeout: PATIENCE_MILLISECONDS, interval: 20 });
}

export const composer = (page: Page): Locator => page.getByRole('textbox', { name: /^Message / });

/** The message that says this, in the channel. */
export function messageSaying(page: Page, text: string | RegExp): Locator {
  return page.locator('.conversation article').filter({ has: page.locator('.markdown', { hasText: text }) });
}

/** A button of a message’s toolbar; the pointer has to be over the message for it to be there. */
export async function useTool(message: Locator, name: string): Promise<void> {
  await message.hover();
  await message.getByRole('toolbar').getByRole('button', { name, exact: true }).click();
}
