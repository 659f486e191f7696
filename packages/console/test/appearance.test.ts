import { describe, expect, test } from 'vitest';
import { badFit, lowContrast, unlabelled } from './audit.ts';
import { seedChat, seedInbox } from './fake/seed.ts';
import { eventually, messageSaying, setUpConsole } from './support.ts';

const setup = setUpConsole((postern) => {
  seedChat(postern);
  seedInbox(postern);
});

const pages = [
  ['the login', '/console/login', 'Sign in'],
  ['a channel', '/console/chat/general', 'general'],
  ['the channels', '/console/chat', 'Chat'],
  ['a conversation', '/console/inbox/conversations/%2B4915112345678', 'Ruth Okafor'],
  ['the quarantine', '/console/inbox/quarantine', 'Quarantine'],
  ['the allowlist', '/console/inbox/allowlist', 'Allowlist'],
  ['the pairings', '/console/inbox/pairings', 'Pairings'],
  ['the agents', '/console/inbox/agents', 'Agents'],
  ['the webhooks', '/console/inbox/webhooks', 'Webhooks'],
] as const;

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} wide` })),
);

describe.each(looks)('$name', ({ colorScheme, viewport }) => {
  test.each(pages)('%s can be read, is labelled and fits', async (_what, path, heading) => {
    const page = await setup.open(path, { colorScheme, viewport, reducedMotion: 'reduce' });
    await page.getByRole('heading', { name: heading }).first().waitFor();
    await eventually(() => page.locator('.skeleton').count()).toBe(0);
    await eventually(() => lowContrast(page)).toEqual([]);
    expect(await unlabelled(page)).toEqual([]);
    expect(await badFit(page)).toEqual([]);
  });

  test('dialogs and panels can be read, are labelled and fit', async () => {
    const page = await setup.open('/console/inbox/agents', {
      colorScheme,
      viewport,
      reducedMotion: 'reduce',
    });
    const audit = async () => [
      ...(await lowContrast(page)),
      ...(await unlabelled(page)),
      ...(await badFit(page)),
    ];
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Use 1 to 64 letters').waitFor();
    await eventually(audit).toEqual([]);
    await page.getByLabel('Agent', { exact: true }).fill('claude');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Copy it now.').waitFor();
    await eventually(audit).toEqual([]);
    await page.goto(
      `/console/chat/general?thread=${setup.postern.chat.messages.find(({ text }) => text.startsWith('A bit pale'))?.id}`,
    );
    await page.getByText('No replies yet').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Insert an emoji' }).click();
    await eventually(audit).toEqual([]);
  });
});

describe('light and dark', () => {
  const background = 'getComputedStyle(document.body).backgroundColor';

  test('the system decides until somebody chooses, and the choice is kept', async () => {
    const page = await setup.open('/console/chat/general', { colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'general' }).waitFor();
    const dark = await page.evaluate(background);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await page.evaluate(background);
    expect(light).not.toBe(dark);
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
    expect(await page.evaluate(background)).toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Switch to the light theme' }).waitFor();
    expect(await page.evaluate(background)).toBe(dark);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'As the system' }).check();
    expect(await page.evaluate(background)).toBe(light);
  });
});

test('whoever asks for stillness gets no movement', async () => {
  const page = await setup.open('/console/chat/general', { reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'New channel' }).click();
  const duration = await page
    .getByRole('dialog')
    .evaluate((dialog) => getComputedStyle(dialog).animationDuration);
  expect(Number.parseFloat(duration)).toBeLessThan(0.001);
});

describe('on a phone', () => {
  const phone = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };

  test('list and conversation take turns, and the bar makes room for the box', async () => {
    const page = await setup.open('/console/chat', phone);
    const bar = page.getByRole('navigation', { name: 'Main' });
    await page.getByRole('link', { name: /general/ }).tap();
    await messageSaying(page, 'Fixed, see').waitFor();
    expect(await bar.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Back to the channels' }).tap();
    await page.getByRole('link', { name: /release/ }).waitFor();
    expect(await bar.isVisible()).toBe(true);
    const box = await bar.boundingBox();
    expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(740);
  });

  test('a tap on a message brings its actions', async () => {
    const page = await setup.open('/console/chat/general', phone);
    await messageSaying(page, 'A bit pale').tap();
    await messageSaying(page, 'A bit pale').getByRole('button', { name: 'Reply in a thread' }).tap();
    await page.getByRole('complementary', { name: 'Thread' }).waitFor();
    expect(await page.locator('.conversation').isVisible()).toBe(false);
  });

  test('the inbox goes from list to conversation and back', async () => {
    const page = await setup.open('/console/inbox', phone);
    await page.getByRole('link', { name: /paper-and-ink/ }).tap();
    await page.getByText('Perfect, order it.').waitFor();
    await page.getByRole('link', { name: 'Back to the conversations' }).tap();
    await page.getByRole('link', { name: /Ruth Okafor/ }).waitFor();
  });
});

test('nothing is loaded from elsewhere, and no style or script is inline', async () => {
  const page = await setup.open('/console/chat/general');
  await messageSaying(page, 'Fixed, see').waitFor();
  const resources = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name),
  );
  expect(resources.filter((name) => !name.startsWith(setup.postern.url))).toEqual([]);
  expect(await page.evaluate(() => document.querySelectorAll('style, script:not([src])').length)).toBe(0);
});
