import { describe, expect, test } from 'vitest';
import { seedChat } from './fake/seed.ts';
import { composer, eventually, setUpConsole } from './support.ts';

const setup = setUpConsole(seedChat);

describe('signing in', () => {
  test('a link signs in, and its token is gone from the address before it is sent', async () => {
    const release = setup.postern.hold('POST', /\/console\/api\/login$/);
    const page = await setup.openSignedOut(`/console/login#token=${setup.postern.newLoginToken()}`);
    await eventually(() => setup.postern.requests).toContain('POST /console/api/login');
    expect(await page.evaluate(() => window.location.href)).toBe(`${setup.postern.url}/console/login`);
    release();
    await page.getByRole('heading', { name: 'general' }).waitFor();
    expect(page.url()).not.toContain('token');
    expect(await page.evaluate(() => window.history.length)).toBeLessThanOrEqual(3);
  });

  test('a link that was used says how to get a new one', async () => {
    const token = setup.postern.newLoginToken();
    await (await setup.openSignedOut(`/console/login#token=${token}`))
      .getByRole('navigation', { name: 'Main' })
      .waitFor();
    const page = await setup.openSignedOut(`/console/login#token=${token}`);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('npx postern login');
    expect(page.url()).not.toContain(token);
  });

  test('a link can be pasted, also into a page that is open', async () => {
    const page = await setup.openSignedOut('/console/login');
    await page.getByLabel('Login link').fill('two words');
    await page.keyboard.press('Enter');
    await page.getByText('Paste the whole link').waitFor();
    await page
      .getByLabel('Login link')
      .fill(`${setup.postern.url}/console/login#token=${setup.postern.newLoginToken()}`);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('whoever is not signed in comes back to where they wanted to go', async () => {
    const page = await setup.openSignedOut('/console/inbox/agents');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(page.url()).toBe(`${setup.postern.url}/console/login`);
    await page.evaluate((token) => {
      window.location.hash = `token=${token}`;
    }, setup.postern.newLoginToken());
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(page.url()).toBe(`${setup.postern.url}/console/inbox/agents`);
  });
});

describe('the end of a session', () => {
  test('a session that ends keeps what was being written', async () => {
    const { page, context } = await setup.openAll('/console/chat/general');
    await composer(page).fill('half a thought');
    setup.postern.endSessions();
    await page.getByRole('link', { name: /Inbox/ }).click();
    await page.getByText('Your session has ended').waitFor();
    await context.addCookies([setup.postern.newSession()]);
    await page.goto('/console/chat/general');
    await eventually(() => composer(page).inputValue()).toBe('half a thought');
  });

  test('signing out ends at the login page', async () => {
    const page = await setup.open('/console/chat/general');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto('/console/chat/general');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

test('a server that is down is told, and tried again on request', async () => {
  setup.postern.fail({ method: 'GET', path: /\/console\/api\/session$/, how: 503, times: 3 });
  const page = await setup.open('/console/chat/general');
  await page.getByRole('heading', { name: 'Postern doesn’t answer' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'general' }).waitFor();
});
