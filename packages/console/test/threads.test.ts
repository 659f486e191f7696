import { describe, expect, test } from 'vitest';
import { endedId, liveId, seedThreads } from './fake/threads-seed.ts';
import { eventually, setUpConsole } from './support.ts';

const setup = setUpConsole(seedThreads);
const state = () => setup.postern.threads.state;

describe('what waits for a decision', () => {
  test('is counted in the bar, shown whole, and answered by a button', async () => {
    const page = await setup.open('/console/threads');
    await page.getByRole('link', { name: /1 to decide.*Sessions/ }).waitFor();
    await page.getByRole('link', { name: /To decide/ }).click();
    const card = page.getByRole('article', { name: 'Permission: Bash' });
    await card.getByText('npm run migrate -- --to 0042_totals && npm test -- --filter checkout').waitFor();
    await card.getByText('the owner, allowed users and guests of the session may answer').waitFor();
    await card.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    expect(state().questions[0]?.decision).toMatchObject({ option: 'deny', by: { via: 'console' } });
    await page.getByRole('button', { name: 'Decided' }).click();
    await page.getByText('admin chose “Deny” in the console.').waitFor();
    await page.getByText('alan chose “Go ahead” by reaction.').waitFor();
    await page.getByText('Nobody answered in time; that counts as no.').waitFor();
  });

  test('says so when somebody else was faster', async () => {
    const page = await setup.open('/console/threads/questions');
    const card = page.getByRole('article', { name: 'Permission: Bash' });
    await card.waitFor();
    state().questions = state().questions.map((one) => ({ ...one, state: 'expired' as const }));
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('It was not answered. It was decided already.').waitFor();
    await page.getByText('Nothing waits for you').waitFor();
  });

  test('stands before what closes later', async () => {
    const question = state().questions[0]!;
    const later = new Date(Date.parse(question.deadline_at) + 3_600_000).toISOString();
    state().questions.unshift({ ...question, id: 'que_later', title: 'A routine', deadline_at: later });
    const page = await setup.open('/console/threads/questions');
    await page.getByRole('article', { name: 'Permission: A routine' }).waitFor();
    const names = page.locator('article').evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(await names).toEqual(['Permission: Bash', 'Permission: A routine']);
  });

  test('appears the moment it is asked', async () => {
    const [question] = state().questions;
    state().questions = [];
    const page = await setup.open('/console/threads/questions');
    await page.getByText('Nothing waits for you').waitFor();
    await eventually(() => setup.postern.requests.includes('GET /threads/api/events')).toBe(true);
    state().questions = [question!];
    setup.postern.threads.announce();
    await page.getByRole('article', { name: 'Permission: Bash' }).waitFor();
  });
});

describe('sessions', () => {
  test('are shown with their state, interrupted and ended', async () => {
    const page = await setup.open('/console/threads');
    const card = page.getByRole('article', { name: 'Rounding of totals in the checkout' });
    await card.getByText('waits for a decision').waitFor();
    await page.getByRole('link', { name: 'Rounding of totals in the checkout' }).click();
    await page.getByText('fix/rounding').waitFor();
    await page.getByText('$0.42').waitFor();
    await page.getByText('everything in its thread').waitFor();
    await page.getByRole('article', { name: 'Permission: Bash' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'its session' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await eventually(() => state().sessions[0]?.state).toBe('interrupted');
    await page.getByRole('button', { name: 'End…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await eventually(() => state().sessions[0]?.state).toBe('ended');
    await eventually(() => page.getByRole('button', { name: 'End…' }).count()).toBe(0);
    expect(page.url()).toContain(liveId);
  });

  test('of a conversation lead to it', async () => {
    const permalink = 'https://office.slack.example/archives/D7/p1';
    state().sessions = [{ ...state().sessions[0]!, kind: 'channel', permalink }];
    const page = await setup.open(`/console/threads/sessions/${liveId}`);
    await page.getByText('everything in its conversation').waitFor();
    const link = page.getByRole('link', { name: 'Open the conversation' });
    expect(await link.getAttribute('href')).toBe(permalink);
  });

  test('that have ended say why', async () => {
    const page = await setup.open('/console/threads');
    await page.getByRole('button', { name: 'Ended' }).click();
    await page.getByRole('link', { name: 'Session of olga' }).click();
    await page.getByText('ended by olga').waitFor();
    expect(page.url()).toContain(endedId);
    expect(await page.getByRole('button', { name: 'End…' }).count()).toBe(0);
  });
});

describe('routines and watches', () => {
  test('say when they run on the reader’s clock and on their own, and what became of their runs', async () => {
    const page = await setup.open('/console/threads');
    await page.getByRole('link', { name: 'Routines & watches' }).click();
    const card = page.getByRole('article', { name: 'Open pull requests' });
    await card.getByText('Monday to Friday at 09:00 (Pacific/Apia)').waitFor();
    await card.getByText(/for you, Mon,? 6 May,? 09:00 in Pacific\/Apia/).waitFor();
    await card.getByText('Latest 2 runs').click();
    await card.getByText('left out (2 runs)').waitFor();
    await card.getByRole('link', { name: 'its session' }).click();
    await page.getByRole('heading', { name: 'Rounding of totals in the checkout' }).waitFor();
  });

  test('are paused, resumed and deleted', async () => {
    const page = await setup.open('/console/threads/routines');
    await page.getByRole('button', { name: 'Pause' }).click();
    await eventually(() => state().tasks[0]?.is_enabled).toBe(false);
    await page.getByText('paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await eventually(() => state().tasks[0]?.is_enabled).toBe(true);
    await page.getByRole('button', { name: 'Watches' }).click();
    const card = page.getByRole('article', { name: 'Outages' });
    await card.getByText('Switched off: 3 runs in a row failed.').waitFor();
    await card.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('Nothing is watched for').waitFor();
    expect(state().tasks).toHaveLength(1);
  });
});

describe('the record', () => {
  test('is filtered by what happened and by whom', async () => {
    const page = await setup.open('/console/threads/audit');
    await eventually(() => page.locator('.audit-line').count()).toBe(3);
    await page.getByLabel('What happened').selectOption('permission');
    await eventually(() => page.locator('.audit-line').count()).toBe(1);
    await page.getByRole('article', { name: 'permission' }).getByText('alan').waitFor();
    await page.getByLabel('What happened').selectOption('');
    await page.getByLabel('Person, tool or session').fill('U017');
    await eventually(() => page.locator('.audit-line').count()).toBe(1);
  });

  test('is told in words, with ids and hashes for whoever wants them', async () => {
    const page = await setup.open('/console/threads/audit');
    const used = page.getByRole('article', { name: 'Tool used' });
    await used.getByText('by the agent').waitFor();
    expect(await used.getByText('subagent').count()).toBe(0);
    await eventually(() => used.getByText('3f9a').isVisible()).toBe(false);
    await used.getByText('Ids and hashes').click();
    await eventually(() => used.getByText('3f9a').isVisible()).toBe(true);
    const decided = page.getByRole('article', { name: 'Permission' });
    await decided.getByText('allowed for the whole session').waitFor();
    await decided.getByText('by a reaction').waitFor();
    await page.getByRole('article', { name: 'Session started' }).getByText('asks before it acts').waitFor();
  });
});

test('platforms say where the bot listens and what is on there', async () => {
  const page = await setup.open('/console/threads/platforms');
  const office = page.getByRole('article', { name: 'office' });
  await office.getByText('in the channel checkout').waitFor();
  await office.getByText('On: memory, routines, watches, files out, audit').waitFor();
  await office.getByText('Off: one session for the whole channel, direct messages').waitFor();
  const lab = page.getByRole('article', { name: 'lab' });
  await lab.getByText('4xp9fdt7pbgium38k1').waitFor();
  await lab.getByText('the agent decides what needs asking').waitFor();
});

test('platforms say what is wrong with them', async () => {
  const page = await setup.open('/console/threads/platforms');
  await page.getByRole('article', { name: 'lab' }).getByText('The server refuses the token').waitFor();
});

test('accounts say which of them has reached its limit', async () => {
  const page = await setup.open('/console/threads/platforms');
  const spare = page.getByRole('article', { name: 'spare' });
  await spare.getByText('at its limit').waitFor();
  await spare.getByText('Free again').waitFor();
  const team = page.getByRole('article', { name: 'team' });
  await team.getByText('2 running, 1 paused').waitFor();
  // Below the platforms, and not over the navigation beside them.
  const [platform, account] = [
    await page.getByRole('article', { name: 'lab' }).boundingBox(),
    await team.boundingBox(),
  ];
  expect(account?.x).toBe(platform?.x);
  expect(account?.y).toBeGreaterThan((platform?.y ?? 0) + (platform?.height ?? 0));
});

test('without the service its room is not there', async () => {
  state().isOn = false;
  const page = await setup.open('/console/threads');
  await page.getByText('There is nothing at this address').waitFor();
  expect(await page.getByRole('link', { name: 'Sessions' }).count()).toBe(0);
});
