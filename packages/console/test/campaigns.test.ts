import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  capturedId,
  draftId,
  finishedId,
  newsId,
  projectId,
  runningId,
  seedCampaigns,
} from './fake/campaigns/seed.ts';
import { eventually, setUpConsole } from './support.ts';

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const setup = setUpConsole();
const desk = () => setup.postern.campaigns;
const room = `/console/campaigns/${projectId}`;

test('from nothing to a campaign on its way', async () => {
  const page = await setup.open('/console/campaigns');
  await page.getByText('Start with a project').waitFor();
  await page.getByRole('button', { name: 'New project' }).click();
  // Typed without a click: the dialog begins at its first field, where a space is a space.
  await page.keyboard.type('Paper & Ink');
  expect(await page.getByLabel('Slug').inputValue()).toBe('paper-ink');
  await page.getByRole('button', { name: 'Create' }).click();

  await page.getByText('No lists yet').waitFor();
  await page.getByRole('button', { name: 'New list' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('News');
  await page.getByLabel('Sender’s address').fill('nobody');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Must be an e-mail address such as ana@example.org.').waitFor();
  await page.getByLabel('Sender’s address').fill('news@paper.example');
  await page.getByRole('button', { name: 'Create' }).click();

  await page.getByText('Nobody is on this list yet').waitFor();
  await page.getByRole('button', { name: 'Import' }).click();
  await page
    .getByLabel('Or paste')
    .fill(
      'email;Full name;city\nana@example.org;Ana Lima;Lisbon\nbo@example.net;Bo;"Århus; DK"\nnonsense;X;Y',
    );
  await page.getByRole('button', { name: 'Preview' }).click();
  expect(await page.getByLabel('What email holds').inputValue()).toBe('email');
  expect(await page.getByLabel('What Full name holds').inputValue()).toBe('name');
  await page.getByRole('cell', { name: 'Århus; DK' }).waitFor();
  await page.getByRole('button', { name: 'Import 3 records' }).click();
  await page.getByRole('cell', { name: 'skipped: not an address' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'ana@example.org' }).waitFor();
  expect(
    desk().state.subscribers.map(({ email, name, attributes }) => ({ email, name, attributes })),
  ).toEqual([
    { email: 'ana@example.org', name: 'Ana Lima', attributes: { city: 'Lisbon' } },
    { email: 'bo@example.net', name: 'Bo', attributes: { city: 'Århus; DK' } },
  ]);

  await page.getByRole('link', { name: 'Campaigns' }).last().click();
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Autumn paper');
  await page.getByRole('checkbox', { name: /News/ }).check();
  await page.getByRole('button', { name: 'Create' }).click();

  await page.getByRole('button', { name: 'Launch…' }).click();
  const launch = page.getByRole('dialog');
  await launch.getByText('There is no subject').waitFor();
  await launch.getByText('there is nothing to send').waitFor();
  expect(await launch.getByRole('button', { name: 'Launch now' }).count()).toBe(0);
  await launch.getByRole('button', { name: 'Not yet' }).click();

  await page.getByLabel('Subject', { exact: true }).fill('Hello {{ subscriber.name }}');
  await page.getByRole('button', { name: 'Begin with a simple page' }).click();
  const frame = page.frameLocator('.mail-frame');
  await frame.getByRole('heading', { name: 'Hello Alex Sample' }).waitFor();
  await page.getByLabel('Seen by').selectOption({ label: 'Ana Lima' });
  await frame.getByRole('heading', { name: 'Hello Ana Lima' }).waitFor();
  await page.locator('.mail-subject', { hasText: 'Hello Ana Lima' }).waitFor();
  await page.getByRole('button', { name: 'Phone' }).click();
  await eventually(async () => (await page.locator('.mail-frame').boundingBox())?.width).toBeLessThan(380);
  await frame.getByRole('heading', { name: 'Hello Ana Lima' }).waitFor();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByLabel('To', { exact: true }).fill('me@paper.example, you@paper.example');
  await page.getByRole('button', { name: 'Send the test' }).click();
  await eventually(() => desk().state.tests).toEqual(['me@paper.example', 'you@paper.example']);

  await page.getByRole('button', { name: 'Launch…' }).click();
  await launch.getByText('Would launch "Autumn paper" to 2 recipients now; nobody is left out.').waitFor();
  expect(desk().state.campaigns[0]?.state).toBe('draft');
  await launch.getByRole('button', { name: 'Launch now' }).click();
  await page.getByText('0 % of 2 done').waitFor();
  expect(desk().state.campaigns[0]?.state).toBe('running');
  await page.getByRole('rowheader', { name: 'ana@example.org' }).waitFor();

  const [running] = desk().state.campaigns;
  desk().state.campaigns = [
    { ...running!, state: 'finished', counts: { ...running!.counts, pending: 0, sent: 2 } },
  ];
  await page.getByText('100 % of 2 done').waitFor();
});

describe('in a project with a history', () => {
  const open = async (path: string, options = {}) => {
    seedCampaigns(setup.postern);
    return setup.open(room + path, options);
  };

  test('a subject that comes from a template is not told to be missing', async () => {
    seedCampaigns(setup.postern);
    const draft = desk().state.campaigns.find(({ id }) => id === draftId)!;
    const other = { ...draft, id: `${draftId.slice(0, -1)}Z`, name: 'Bare', template_id: null };
    desk().state.campaigns = [
      { ...draft, subject: null, template_id: 'tpl_x' },
      { ...other, subject: null },
    ];
    const page = await setup.open(room);
    await page.getByRole('article', { name: draft.name }).getByText('subject of its template').waitFor();
    await page.getByRole('article', { name: 'Bare' }).getByText('no subject yet').waitFor();
  });

  test('a draft saves itself, and what is refused is told at its field', async () => {
    const page = await open(`/campaigns/${draftId}`);
    await page.getByLabel('Reply to').fill('nobody');
    await page.getByText('Must be an e-mail address').waitFor();
    await page.getByText('Not saved').waitFor();
    await page.getByLabel('Reply to').fill('ana@paper.example');
    await page.getByText('Saved', { exact: true }).waitFor();
    const saved = desk().state.campaigns.find(({ id }) => id === draftId);
    expect(saved?.reply_to).toBe('ana@paper.example');
  });

  test('the preview shows styles, and neither scripts nor pictures from elsewhere', async () => {
    const page = await open(`/campaigns/${draftId}`);
    const frame = page.frameLocator('.mail-frame');
    const heading = frame.getByRole('heading', { name: 'Hello Alex Sample' });
    await heading.waitFor();
    expect(await heading.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(11, 110, 95)');
    const paragraph = frame.getByText('The autumn paper is in.');
    expect(await paragraph.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(255, 245, 214)',
    );
    await page.getByText('One picture from elsewhere is not loaded').waitFor();
    expect(await frame.locator('img').getAttribute('src')).toBeNull();
  });

  test('pictures from elsewhere are loaded when somebody asks, without telling who', async () => {
    const asked: IncomingHttpHeaders[] = [];
    const pictures = createServer(({ headers }, response) => {
      asked.push(headers);
      response.writeHead(200, { 'content-type': 'image/png', 'set-cookie': 'seen=1; SameSite=None; Secure' });
      response.end(Buffer.from(PIXEL, 'base64'));
    });
    pictures.listen(0, '127.0.0.1');
    await once(pictures, 'listening');
    onTestFinished(() => void pictures.close());
    seedCampaigns(setup.postern);
    const { port } = pictures.address() as AddressInfo;
    const draft = desk().state.campaigns.find(({ id }) => id === draftId)!;
    const html = `<p>Look</p><img alt="A pen" src="http://127.0.0.1:${port}/pen.png" width="40" height="40"><script>parent.document.title = 'run'</script>`;
    desk().state.campaigns = [{ ...draft, template_id: null, html }];
    const page = await setup.open(`${room}/campaigns/${draftId}`);
    await page.getByText('One picture from elsewhere is not loaded').waitFor();
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: 'Load pictures' }).click();
    const picture = page.frameLocator('.mail-frame').getByRole('img', { name: 'A pen' });
    await eventually(() => picture.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    expect(asked.length).toBeGreaterThan(0);
    for (const { cookie, referer } of asked) expect([cookie, referer]).toEqual([undefined, undefined]);
    expect(await page.getByRole('button', { name: 'Load pictures' }).count()).toBe(0);
    expect(await page.title()).not.toBe('run');
  });

  test('the address of a public list’s archive is there to copy', async () => {
    const page = await open(`/lists/${newsId}`);
    const archive = page.getByRole('region', { name: 'Archive' });
    const address = `${setup.postern.url}/p/archive/${newsId}`;
    expect(await archive.getByRole('link').getAttribute('href')).toBe(address);
    await archive.getByRole('button', { name: 'Copy the address' }).click();
    await archive.getByText('Copied to the clipboard').waitFor();
    await page.goto(`${room}/lists/lst_0000000000000000000000CLUB`);
    await page.getByRole('heading', { name: 'Calligraphy club' }).waitFor();
    expect(await archive.count()).toBe(0);
  });

  test('some thousand pasted lines are imported in parts, and the bar shows how far', async () => {
    const page = await open(`/lists/${newsId}`);
    await page.getByRole('button', { name: 'Import' }).click();
    const lines = Array.from(
      { length: 2_500 },
      (_, index) => `p${index}@import.example,Person ${index},Lisbon`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      ['email,name,city', ...lines].join('\n'),
    );
    await page.getByLabel('Or paste').press('ControlOrMeta+V');
    await page.getByText('2,500 rows wait for the preview').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    const isImport = /\/import$/;
    let release = setup.postern.hold('POST', isImport);
    await page.getByRole('button', { name: 'Import 2,500 records' }).click();
    await page.getByText('0 of 2,500 records').waitFor();
    const first = release;
    release = setup.postern.hold('POST', isImport);
    first();
    await page.getByText('500 of 2,500 records').waitFor();
    release();
    await page.getByText('The import is done.').waitFor();
    const parts = setup.postern.requests.filter((line) => isImport.test(line));
    expect(parts).toHaveLength(5);
    expect(desk().state.subscribers.filter(({ email }) => email?.endsWith('@import.example'))).toHaveLength(
      2_500,
    );
  });

  test('a note covers neither the head of a page nor what is done there', async () => {
    for (const width of [1280, 390]) {
      const page = await open('/lists');
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('button', { name: 'New list' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes');
      await page.getByRole('button', { name: 'Create' }).click();
      const note = (await page.locator('.toast').boundingBox())!;
      const head = (await page.locator('.room-head').boundingBox())!;
      expect(note.y).toBeGreaterThan(head.y + head.height);
      expect(note.y + note.height).toBeLessThan(800 - 56);
    }
  });

  test('a report shows numbers over time, reasons, links and deliveries', async () => {
    const page = await open(`/campaigns/${finishedId}`);
    await page.getByText('99 % of 12,480 done').or(page.getByText('100 % of 12,480 done')).waitFor();
    await page.getByText('the address does not exist').first().waitFor();
    await page.getByText('https://paper.example/washi').waitFor();
    const plot = page.getByRole('slider', { name: /Mails, all in all/ });
    await plot.focus();
    await page.keyboard.press('Home');
    await eventually(() => plot.getAttribute('aria-valuetext')).toContain('0 sent, 0 deferred, 0 failed');
    await page.keyboard.press('ArrowRight');
    await eventually(() => plot.getAttribute('aria-valuetext')).toContain(
      '9,200 sent, 0 deferred, 120 failed',
    );
    await page.getByLabel('State', { exact: true }).selectOption('failed');
    await page.getByRole('rowheader', { name: 'farid@example.net' }).waitFor();
    await eventually(() => page.getByRole('rowheader', { name: 'bo@example.net' }).count()).toBe(0);
  });

  test('a run is paused, resumed and cancelled, the latter two after a dry run', async () => {
    const page = await open(`/campaigns/${runningId}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4722 recipients').waitFor();
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('drop 4722 mails').waitFor();
    await dialog.getByRole('button', { name: 'Keep it' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel it for good' }).click();
    await eventually(() => desk().state.campaigns.find(({ id }) => id === runningId)?.state).toBe(
      'cancelled',
    );
    await page.getByRole('heading', { name: /^Sent to .* before it was cancelled$/ }).waitFor();
  });

  test('captured mail is shown as its reader sees it, and harmless', async () => {
    const page = await open('/captured');
    await page.getByRole('link', { name: /ana\.lima@example\.org/ }).click();
    const frame = page.frameLocator('.mail-frame');
    await frame.getByRole('heading', { name: 'Olá Ana' }).waitFor();
    expect(await page.title()).toBe('Captured mail · Postern');
    expect(await frame.locator('script, [onclick]').count()).toBe(0);
    await page.getByRole('button', { name: 'Plain text' }).click();
    await page.getByText('Olá Ana, the summer paper is here.').waitFor();
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.mail-headers').getByText('Paper & Ink <news@paper.example>').waitFor();
    await page.getByRole('button', { name: 'Parts' }).click();
    await page.getByText('multipart/alternative').waitFor();
    await page.getByRole('button', { name: 'Source' }).click();
    await page.getByText('=?utf-8?q?Paper_=26_Ink?=').waitFor();
    expect(page.url()).toContain(capturedId);
  });

  test('people are found by address and name, unsubscribed and erased', async () => {
    const page = await open(`/lists/${newsId}`);
    const search = page.getByRole('searchbox', { name: 'Find by address or name' });
    await search.fill('conti');
    await page.getByRole('button', { name: 'chiara@example.com' }).waitFor();
    await eventually(() => page.locator('.people tbody tr').count()).toBe(1);
    await search.fill('bo');
    await page.getByRole('button', { name: 'bo@example.net' }).waitFor();
    await search.fill('ANA.LIMA@example.org');
    await page.getByRole('button', { name: 'ana.lima@example.org' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Form in the shop').waitFor();
    await dialog.getByRole('link', { name: /Olá, the summer paper/ }).waitFor();
    await dialog.getByRole('link', { name: 'Clicked a link in “Summer paper”' }).waitFor();
    await dialog.getByRole('button', { name: 'Unsubscribe…' }).click();
    await dialog.getByRole('button', { name: 'Unsubscribe' }).click();
    await eventually(() => desk().state.subscribers[0]?.status).toBe('unsubscribed');
    await eventually(() => dialog.count()).toBe(0);
    await search.fill('');
    await page.getByRole('button', { name: 'bo@example.net' }).click();
    await dialog.getByRole('button', { name: 'Erase…' }).click();
    await dialog.getByText('Would erase bo@example.net').waitFor();
    expect(desk().state.subscribers[1]?.status).toBe('subscribed');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await eventually(() => desk().state.subscribers[1]?.status).toBe('erased');
  });

  test('a segment counts while it is built', async () => {
    const page = await open('/segments/new');
    await page.getByLabel('Name', { exact: true }).fill('In Lisbon');
    await page.getByLabel('Field').selectOption('attribute');
    await page.getByLabel('Name of the attribute').fill('city');
    await page.getByLabel('Value').fill('Lisbon');
    await page.getByText('1 person').waitFor();
    await page.getByRole('button', { name: 'Group' }).click();
    await page.getByLabel('How these are joined').last().selectOption('not any');
    await page.getByLabel('Value').last().fill('@example.org');
    await page.getByText('0 people').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(() => desk().state.segments.at(-1)?.condition).toEqual({
      all: [
        { field: 'attributes.city', op: 'eq', value: 'Lisbon' },
        { not: { any: [{ field: 'email', op: 'contains', value: '@example.org' }] } },
      ],
    });
  });

  test('a key shows its secret once, and the last admin key stays', async () => {
    const page = await open('/keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('agent');
    await dialog.getByRole('button', { name: 'Prepare, not launch' }).click();
    expect(await dialog.getByLabel('campaigns:launch').isChecked()).toBe(false);
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = dialog.getByText('pst_9fK2mV7sQeXw4ZpLtB8yRcNd3HjUa6Gi');
    await secret.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.mouse.click(2, 2);
    expect(await secret.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'Done, it is kept' }).click();
    expect(desk().state.keys.at(-1)?.scopes).not.toContain('campaigns:launch');
    await page.getByRole('article', { name: 'bootstrap' }).getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('It is the last admin key').waitFor();
    expect(await dialog.getByRole('button', { name: 'Revoke' }).count()).toBe(0);
  });

  test('a domain is verified, and its records can be copied', async () => {
    const page = await open('/domains');
    const card = page.getByRole('article', { name: 'paper.example' });
    await eventually(() => card.getByRole('button', { name: 'Copy value' }).count()).toBe(4);
    await card.getByRole('button', { name: 'Verify' }).click();
    await card.getByText('verified', { exact: true }).waitFor();
  });

  test('an address is suppressed after its dry run', async () => {
    const page = await open('/suppressions');
    await page.getByRole('button', { name: 'Suppress an address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('grace@example.org');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await dialog.getByText('who is on 1 lists').waitFor();
    await dialog.getByRole('button', { name: 'Suppress it' }).click();
    await page.getByRole('rowheader', { name: 'grace@example.org' }).waitFor();
  });

  test('webhook deliveries are sent again', async () => {
    const page = await open('/webhooks');
    await page.getByRole('button', { name: 'Deliveries' }).click();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await eventually(() => desk().state.webhookDeliveries[0]?.state).toBe('pending');
  });

  test('a template is saved on purpose and rendered with sample data', async () => {
    const page = await open('/templates');
    await page.getByRole('link', { name: 'House letter' }).click();
    await page.frameLocator('.mail-frame').getByRole('heading', { name: 'Hello Ana' }).waitFor();
    await page.getByLabel('Subject').fill('For {{ subscriber.name }}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.mail-subject', { hasText: 'For Ana' }).waitFor();
  });

  test('a project is deleted after its dry run', async () => {
    const page = await open('/projects');
    await page.getByRole('button', { name: 'Delete Paper & Ink' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Would delete "Paper & Ink" with 2 lists.').waitFor();
    await dialog.getByRole('button', { name: 'Delete the project' }).click();
    await page.getByText('Start with a project').waitFor();
  });
});

test('the campaigns are fetched only when somebody goes there', async () => {
  const page = await setup.open('/console/chat');
  await page.getByRole('link', { name: 'Campaigns' }).waitFor();
  const loaded = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.includes('campaigns-page')),
    );
  expect(await loaded()).toEqual([]);
  await page.getByRole('link', { name: 'Campaigns' }).click();
  await page.getByText('Start with a project').waitFor();
  expect(await loaded()).not.toEqual([]);
});
