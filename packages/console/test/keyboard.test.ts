import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { seedChat, seedInbox } from './fake/seed.ts';
import { composer, eventually, messageSaying, setUpConsole } from './support.ts';

const setup = setUpConsole((postern) => {
  seedChat(postern);
  seedInbox(postern);
});

const stored = (text: string) => setup.postern.chat.messages.filter((message) => message.text === text);

/** What has the focus, by its name or text. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return (element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim();
  });
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Shift+Tab from the box until a message has the focus: past the paper clip and what is in the message. */
async function backToMessages(page: Page): Promise<void> {
  for (let count = 0; count < 8; count += 1) {
    await press(page, 'Shift+Tab');
    if (await page.evaluate(() => document.activeElement?.matches('article') ?? false)) return;
  }
  throw new Error(`no message has the focus, but: ${await focused(page)}`);
}

describe('without a mouse', () => {
  test('a channel is found, read, answered, and a thread is opened and left', async () => {
    const page = await setup.open('/console/chat/release');
    await messageSaying(page, 'Changelog').waitFor();
    await press(page, 'Control+k');
    await page.keyboard.type('gen');
    await press(page, 'Enter');
    await page.getByRole('heading', { name: 'general' }).waitFor();
    await messageSaying(page, 'Fixed, see').waitFor();

    // From the box back into the messages: one stop, the newest.
    await composer(page).focus();
    await backToMessages(page);
    await eventually(() => focused(page)).toMatch(/^Tomás Rivera,/);
    await press(page, 'ArrowUp', 'ArrowUp');
    expect(await focused(page)).toMatch(/^Mei Lin,/);

    await press(page, 'r');
    await page.getByText('Reply to Mei Lin').waitFor();
    await press(page, 'Escape');
    await eventually(() => page.getByText('Reply to Mei Lin').count()).toBe(0);
    await backToMessages(page);
    await eventually(() => focused(page)).toMatch(/^Mei Lin,/);

    await press(page, 't');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await eventually(() => focused(page)).toBe('Reply in the thread');
    await page.keyboard.type('by keyboard');
    await press(page, 'Enter');
    await eventually(() => stored('by keyboard')).toHaveLength(1);
    await press(page, 'Escape');
    await eventually(() => thread.count()).toBe(0);
    await eventually(() => focused(page)).toMatch(/^Mei Lin,/);
  });

  test('a message gets a reaction, is edited, and is deleted', async () => {
    const page = await setup.open('/console/chat/general');
    await composer(page).click();
    await page.keyboard.type('mine');
    await press(page, 'Enter');
    await messageSaying(page, 'mine').waitFor();
    await eventually(() => page.getByText('Sending…').count()).toBe(0);
    await backToMessages(page);
    await eventually(() => focused(page)).toMatch(/^Anna Berg,/);
    await press(page, '+');
    await page.keyboard.type('eyes');
    await press(page, 'Enter');
    await messageSaying(page, 'mine').getByRole('button', { name: 'eyes, 1 reaction: You' }).waitFor();
    await eventually(() => focused(page)).toMatch(/^Anna Berg,/);
    await press(page, 'e');
    await eventually(() => focused(page)).toBe('Edit the message');
    await page.keyboard.type(' too');
    await press(page, 'Enter');
    await messageSaying(page, 'mine too').waitFor();
    await eventually(() => focused(page)).toBe('Message general');
    await backToMessages(page);
    await press(page, 'Delete');
    await page.getByRole('heading', { name: 'Delete this message?' }).waitFor();
    await press(page, 'Escape');
    await eventually(() => focused(page)).toMatch(/^Anna Berg,/);
    expect(stored('mine too')).toHaveLength(1);
    await press(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
    await eventually(() => stored('mine too')).toHaveLength(0);
    await page.getByText('This message was deleted.').waitFor();
    await eventually(() => focused(page)).toMatch(/^Anna Berg,/);
  });

  test('the emoji grid is walked in four directions and left by Escape', async () => {
    const page = await setup.open('/console/chat/general');
    const button = page.getByRole('button', { name: 'Insert an emoji' });
    await button.press('Enter');
    await eventually(() => focused(page)).toBe('Search emoji');
    await press(page, 'ArrowDown', 'ArrowRight', 'ArrowDown');
    await eventually(() => focused(page)).toBe('handshake');
    await press(page, 'ArrowUp', 'ArrowUp');
    expect(await focused(page)).toBe('Search emoji');
    await press(page, 'Escape');
    await eventually(() => focused(page)).toBe('Insert an emoji');
    await press(page, 'Enter', 'ArrowDown', 'Enter');
    await eventually(() => composer(page).inputValue()).toBe('👍');
    await eventually(() => focused(page)).toBe('Message general');
  });

  test('channels are stepped through, and ? shows what keys there are', async () => {
    const page = await setup.open('/console/chat/general');
    await messageSaying(page, 'Fixed, see').waitFor();
    // The list is in the order of its channels' newest messages, which come one by one.
    const next = page.locator('.channel-link[aria-current] + .channel-link');
    await eventually(() => next.textContent()).toContain('Mei Lin');
    await press(page, 'Alt+ArrowDown');
    await page.getByRole('heading', { name: 'Mei Lin' }).waitFor();
    await press(page, 'Alt+ArrowUp');
    await page.getByRole('heading', { name: 'general' }).waitFor();
    await press(page, 'Shift+?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await press(page, 'Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
    await composer(page).focus();
    await page.keyboard.type('really?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await composer(page).inputValue()).toBe('really?');
  });

  test('a dialog that asks for something begins there', async () => {
    const page = await setup.open('/console/chat/general');
    const field = () =>
      page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.textContent);
    await page.getByRole('button', { name: 'New channel' }).press('Enter');
    await eventually(field).toBe('Name');
    await press(page, 'Escape');
    await page.goto('/console/inbox/agents');
    await page.getByRole('button', { name: 'New token' }).press('Enter');
    await eventually(field).toBe('Agent');
  });

  test('a sender is allowed', async () => {
    const page = await setup.open('/console/inbox/conversations');
    await page.getByRole('link', { name: 'Conversations' }).focus();
    await press(page, 'ArrowDown', 'Enter');
    await page.getByRole('heading', { name: 'Quarantine' }).waitFor();
    await page.getByRole('button', { name: 'Allow sender' }).last().focus();
    await press(page, 'Enter');
    await page.getByLabel('Name shown to agents').press('Enter');
    await page.getByText('is allowed. 1 message released.').waitFor();
    expect(setup.postern.inbox.state.allowlist).toHaveLength(4);
  });

  test('the navigation can be skipped, and every stop is seen', async () => {
    const page = await setup.open('/console/inbox/quarantine');
    await page.getByRole('heading', { name: 'Quarantine' }).waitFor();
    await press(page, 'Tab');
    expect(await focused(page)).toBe('Skip to content');
    await press(page, 'Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    const stops = new Set<string>();
    for (let count = 0; count < 24; count += 1) {
      await press(page, 'Tab');
      const stop = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const style = getComputedStyle(element);
        return {
          name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim(),
          seen:
            element === document.body ||
            (style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2),
        };
      });
      expect(stop).toMatchObject({ seen: true });
      stops.add(stop.name);
    }
    expect([...stops]).toEqual(expect.arrayContaining(['Allow sender', 'Release this one', 'Settings']));
  });
});
