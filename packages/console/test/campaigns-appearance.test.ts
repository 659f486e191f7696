import { describe, expect, test } from 'vitest';
import { badFit, lowContrast, unlabelled } from './audit.ts';
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

const setup = setUpConsole(seedCampaigns);

const pages = [
  ['the campaigns', '', 'Campaigns'],
  ['a draft', `/campaigns/${draftId}`, 'Autumn paper'],
  ['a run', `/campaigns/${runningId}`, 'Ink of the month'],
  ['a report', `/campaigns/${finishedId}`, 'Summer paper'],
  ['the lists', '/lists', 'Lists'],
  ['a list', `/lists/${newsId}`, 'News'],
  ['the segments', '/segments', 'Segments'],
  ['a new segment', '/segments/new', 'New segment'],
  ['the templates', '/templates', 'Templates'],
  ['the domains', '/domains', 'Sending domains'],
  ['the suppressions', '/suppressions', 'Suppressions'],
  ['the webhooks', '/webhooks', 'Webhooks'],
  ['the keys', '/keys', 'Keys'],
  ['the captured mail', '/captured', 'Captured mail'],
  ['a captured mail', `/captured/${capturedId}`, 'Olá, the summer paper'],
  ['the projects', '/projects', 'Projects'],
] as const;

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} wide` })),
);

describe.each(looks)('$name', ({ colorScheme, viewport }) => {
  const open = (path: string) =>
    setup.open(`/console/campaigns/${projectId}${path}`, { colorScheme, viewport, reducedMotion: 'reduce' });

  test.each(pages)('%s can be read, is labelled and fits', async (what, path, heading) => {
    const page = await open(path);
    await page.getByRole('heading', { name: heading }).first().waitFor({ state: 'attached' });
    await eventually(() => page.locator('.skeleton').count()).toBe(0);
    if (process.env.SHOTS !== undefined) {
      await page.waitForTimeout(400);
      const size = `${colorScheme}-${viewport.width}`;
      await page.screenshot({ path: `${process.env.SHOTS}/c-${what.replaceAll(' ', '-')}-${size}.png` });
    }
    await eventually(() => lowContrast(page)).toEqual([]);
    expect(await unlabelled(page)).toEqual([]);
    expect(await badFit(page)).toEqual([]);
  });

  test('dialogs can be read, are labelled and fit', async () => {
    const page = await open(`/lists/${newsId}`);
    const audit = async () => [
      ...(await lowContrast(page)),
      ...(await unlabelled(page)),
      ...(await badFit(page)),
    ];
    const shoot = async (what: string) => {
      if (process.env.SHOTS === undefined) return;
      await page.screenshot({ path: `${process.env.SHOTS}/c-${what}-${colorScheme}-${viewport.width}.png` });
    };
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('Or paste').fill('email,name,city\nzoe@example.org,Zoë,Faro\nnonsense,,');
    await page.getByRole('button', { name: 'Preview' }).click();
    await shoot('import');
    await eventually(audit).toEqual([]);
    await page.getByRole('button', { name: 'Import 2 records' }).click();
    await page.getByText('not an address').waitFor();
    await shoot('import-done');
    await eventually(audit).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'ana.lima@example.org' }).click();
    await page.getByText('Form in the shop').waitFor();
    await shoot('person');
    await eventually(audit).toEqual([]);
    await page.goto(`/console/campaigns/${projectId}/campaigns/${draftId}`);
    await page.getByRole('button', { name: 'Launch…' }).click();
    await page.getByText('Would launch').waitFor();
    await shoot('launch');
    await eventually(audit).toEqual([]);
    await page.goto(`/console/campaigns/${projectId}/keys`);
    await page.getByRole('button', { name: 'New API key' }).click();
    await shoot('key');
    await eventually(audit).toEqual([]);
  });
});
