import { describe, expect, test } from 'vitest';
import { badFit, lowContrast, unlabelled } from './audit.ts';
import { liveId, seedThreads } from './fake/threads-seed.ts';
import { eventually, setUpConsole } from './support.ts';

const setup = setUpConsole(seedThreads);

const pages = [
  ['the sessions', '/sessions', 'Sessions'],
  ['a session', `/sessions/${liveId}`, 'Rounding of totals in the checkout'],
  ['the questions', '/questions', 'To decide'],
  ['the routines', '/routines', 'Routines & watches'],
  ['the memory', '/memory', 'Memory'],
  ['the record', '/audit', 'Audit'],
  ['the platforms', '/platforms', 'Platforms'],
] as const;

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ].map((viewport) => ({ colorScheme, viewport, name: `${colorScheme}, ${viewport.width} wide` })),
);

describe.each(looks)('$name', ({ colorScheme, viewport }) => {
  test.each(pages)('%s can be read, is labelled and fits', async (_what, path, heading) => {
    const page = await setup.open(`/console/threads${path}`, {
      colorScheme,
      viewport,
      reducedMotion: 'reduce',
    });
    await page.getByRole('heading', { name: heading }).first().waitFor({ state: 'attached' });
    await eventually(() => page.locator('.skeleton').count()).toBe(0);
    await eventually(() => lowContrast(page)).toEqual([]);
    expect(await unlabelled(page)).toEqual([]);
    expect(await badFit(page)).toEqual([]);
  });
});
