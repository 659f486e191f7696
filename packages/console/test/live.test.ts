import { describe, expect, test } from 'vitest';
import { agent, mei, seedChat } from './fake/seed.ts';
import { composer, eventually, messageSaying, setUpConsole } from './support.ts';

const setup = setUpConsole(seedChat);
const chat = () => setup.postern.chat;

async function openLive(path: string) {
  const page = await setup.open(path);
  await eventually(() => chat().streamCount()).toBe(1);
  await messageSaying(page, 'A bit pale').waitFor();
  return page;
}

describe('what others do is seen as it happens', () => {
  test('messages, edits, deletions and reactions', async () => {
    const page = await openLive('/console/chat/general');
    const posted = chat().post({ channel: 'general', user: mei, text: 'live one' });
    await messageSaying(page, 'live one').waitFor();
    chat().edit(posted.id, 'mei', 'live two');
    await messageSaying(page, 'live two').getByText('(edited)').waitFor();
    chat().react(posted.id, 'postern', 'eyes', true);
    await messageSaying(page, 'live two')
      .getByRole('button', { name: 'eyes, 1 reaction: Postern' })
      .waitFor();
    chat().react(posted.id, 'postern', 'eyes', false);
    await eventually(() =>
      messageSaying(page, 'live two').getByRole('list', { name: 'Reactions' }).count(),
    ).toBe(0);
    chat().remove(posted.id, 'mei');
    await eventually(() => messageSaying(page, 'live two').count()).toBe(0);
    await page.getByText('This message was deleted.').waitFor();
  });

  test('new messages are read aloud, without their markup', async () => {
    const page = await openLive('/console/chat/general');
    chat().post({ channel: 'general', user: agent, text: '**done** with `it`' });
    await eventually(() => page.getByRole('log').textContent()).toBe('Postern: done with it');
  });

  test('who types, until they have written', async () => {
    const page = await openLive('/console/chat/general');
    chat().typing('general', 'mei');
    await page.getByText('Mei Lin is typing…').waitFor();
    chat().post({ channel: 'general', user: mei, text: 'there' });
    await eventually(() => page.getByText('is typing…').count()).toBe(0);
  });

  test('one’s own typing elsewhere is not told', async () => {
    const page = await openLive('/console/chat/general');
    chat().typing('general', 'anna');
    chat().typing('general', 'tomas');
    await page.getByText('Tomás Rivera is typing…').waitFor();
  });
});

describe('a line that breaks', () => {
  test('is told, resumes where it was, and loses nothing', async () => {
    const page = await openLive('/console/chat/general');
    chat().post({ channel: 'general', user: mei, text: 'before the break' });
    await messageSaying(page, 'before the break').waitFor();
    chat().cutLine();
    await page.getByText('Reconnecting…').waitFor();
    chat().post({ channel: 'general', user: mei, text: 'during the break' });
    chat().mendLine();
    await messageSaying(page, 'during the break').waitFor();
    await eventually(() => page.getByText('Reconnecting…').count()).toBe(0);
    expect(chat().resumedAfter[0]).toBeNull();
    expect(Number(chat().resumedAfter.at(-1))).toBeGreaterThan(0);
  });

  test('does not keep anyone from writing', async () => {
    const page = await openLive('/console/chat/general');
    chat().cutLine();
    await page.getByText('Reconnecting…').waitFor();
    await composer(page).fill('still here');
    await page.keyboard.press('Enter');
    await messageSaying(page, 'still here').waitFor();
    await eventually(() => page.getByText('Sending…').count()).toBe(0);
  });
});

describe('what is new', () => {
  test('elsewhere is counted until it is read', async () => {
    const page = await openLive('/console/chat/general');
    chat().post({ channel: 'release', user: mei, text: 'first' });
    chat().post({ channel: 'release', user: mei, text: 'second' });
    const link = page.getByRole('link', { name: /release.*2 unread/ });
    await link.waitFor();
    await eventually(() => page.title()).toBe('(2) general · Postern');
    await link.click();
    await page.locator('.new-line').waitFor();
    const order = await page.locator('.conversation ol.messages > li').allTextContents();
    expect(order.indexOf('New')).toBe(order.findIndex((text) => text.includes('first')) - 1);
    await eventually(() => page.getByRole('link', { name: /unread/ }).count()).toBe(0);
    await eventually(() => page.title()).toBe('release · Postern');
  });

  test('in sight is not marked as new', async () => {
    const page = await openLive('/console/chat/general');
    chat().post({ channel: 'general', user: mei, text: 'right here' });
    await messageSaying(page, 'right here').waitFor();
    expect(await page.locator('.new-line').count()).toBe(0);
  });

  test('a new channel comes up by itself', async () => {
    const page = await openLive('/console/chat/general');
    chat().openChannel('fresh', 'group', [mei]);
    chat().post({ channel: 'fresh', user: mei, text: 'look here' });
    await page.getByRole('link', { name: /fresh/ }).waitFor();
  });
});
