import { expect, test } from 'vitest';
import { seedThreads } from './fake/threads-seed.ts';
import { eventually, setUpConsole } from './support.ts';

const setup = setUpConsole(seedThreads);
const memory = () => setup.postern.threads.memory.state;

test('what a channel remembers is shown with who wrote it', async () => {
  const page = await setup.open('/console/threads');
  await page.getByRole('link', { name: 'Memory' }).click();
  const first = page.getByRole('article', { name: 'Number 1' });
  await first.getByText('never on a Friday').waitFor();
  await first.getByText('by a person').waitFor();
  await first.getByText('U017').waitFor();
  const second = page.getByRole('article', { name: 'Number 2' });
  await second.getByText('by an agent').waitFor();
  await second.getByRole('link', { name: 'its session' }).waitFor();
  await page.getByRole('article', { name: 'Number 3' }).getByText('from a session').waitFor();
  await page.getByLabel('Channel').selectOption({ label: 'q8f1 on lab (0)' });
  await page.getByText('Memory is off on lab').waitFor();
  await page.getByText('Nothing is remembered here yet').waitFor();
});

test('an operator adds a fact; one that is too long or known already is not sent, or told', async () => {
  const page = await setup.open('/console/threads/memory');
  await page.getByRole('button', { name: 'Add a fact' }).click();
  const dialog = page.getByRole('dialog', { name: 'New fact' });
  await dialog.getByLabel('Fact').fill('漢'.repeat(501));
  await dialog.getByText('501 of 500 characters').waitFor();
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Fact').fill('THE staging database is rebuilt every night at two.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('It was not saved. It is remembered already.').waitFor();
  await dialog.getByLabel('Fact').fill(' Logs are kept\nfor 30 days. ');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Remembered as number 4.').waitFor();
  await page.getByRole('article', { name: 'Number 4' }).getByText('Logs are kept for 30 days.').waitFor();
  expect(memory().entries.at(-1)).toMatchObject({ author: { id: 'console:admin' } });
});

test('an operator edits what an agent wrote, which is theirs from then on', async () => {
  const page = await setup.open('/console/threads/memory');
  await page.getByRole('button', { name: 'Edit number 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Number 2' });
  await dialog.getByText('it counts as yours').waitFor();
  await dialog.getByLabel('Fact').fill('Totals are rounded per line.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const card = page.getByRole('article', { name: 'Number 2' });
  await card.getByText('by a person').waitFor();
  await card.getByText('Totals are rounded per line.').waitFor();
});

test('an operator forgets an entry once it is confirmed, and the others move up', async () => {
  const page = await setup.open('/console/threads/memory');
  await page.getByRole('button', { name: 'Forget number 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forget number 1?' });
  await dialog.getByText('never on a Friday').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(memory().entries).toHaveLength(3);
  await page.getByRole('button', { name: 'Forget number 1' }).click();
  await dialog.getByRole('button', { name: 'Forget it' }).click();
  await eventually(() => page.getByRole('article').count()).toBe(2);
  await page.getByRole('article', { name: 'Number 1' }).getByText('Totals are rounded').waitFor();
  expect(memory().entries).toHaveLength(2);
});
