import { describe, expect, test } from 'vitest';
import { ago, seedInbox } from './fake/seed.ts';
import type { FakePostern } from './fake/server.ts';
import { eventually, setUpConsole } from './support.ts';

const setup = setUpConsole(seedInbox);
const state = () => setup.postern.inbox.state;

describe('conversations', () => {
  test('show who of the agents has read what', async () => {
    const page = await setup.open('/console/inbox/conversations/%2B4915112345678');
    const message = page.getByRole('article').filter({ hasText: 'Tuesday' });
    await message.getByRole('list', { name: 'Read by' }).getByText('support-bot').waitFor();
    await page.getByRole('link', { name: /paper-and-ink/ }).click();
    const unread = page.getByRole('article').filter({ hasText: 'Perfect, order it' });
    await unread.getByText('No agent has read this').waitFor();
    const outbound = page.getByRole('article').filter({ hasText: '2,000 sheets' });
    expect(await outbound.getByText('sent by an agent').count()).toBe(1);
    expect(await outbound.getByText('No agent has read this').count()).toBe(0);
  });

  test('a conversation that no agent has read says so once', async () => {
    const channel_id = 'discord:channel:118290022113344556';
    state().messages = state().messages.map((message) =>
      message.channel_id === channel_id ? { ...message, read_by: [] } : message,
    );
    const page = await setup.open(`/console/inbox/conversations/${encodeURIComponent(channel_id)}`);
    await page.getByText('No agent has read this conversation yet').waitFor();
    expect(await page.getByText(/No agent has read/).count()).toBe(1);
  });

  test('what Discord writes as ids is shown by name', async () => {
    const [message] = state().messages.slice(-1);
    const mentions = [{ id: '775522113344556677', username: 'olga', global_name: 'Olga Petrov' }];
    const text = 'ask <@775522113344556677>, in <#118290022113344556> <a:party:118290022113344557>';
    state().messages.push({ ...message!, id: 'msg_00000000000000000000000009', text, raw: { mentions } });
    const page = await setup.open('/console/inbox/conversations/discord%3Achannel%3A118290022113344556');
    await page.getByText('ask @Olga Petrov, in #paper-and-ink :party:').waitFor();
    await page.locator('.mention', { hasText: '@Olga Petrov' }).waitFor();
  });

  test('one in which nothing was let in yet is not counted', async () => {
    const [channel] = state().channels;
    state().channels.push({
      ...channel!,
      channel_id: 'discord:dm:771100223344556677',
      channel_type: 'dm',
      name: null,
      message_count: 0,
      last_message_at: null,
    });
    const page = await setup.open('/console/inbox/conversations');
    await page.getByRole('link', { name: /discord:dm:771100223344556677.*nothing let in yet/ }).waitFor();
    expect(await page.getByText('0 messages').count()).toBe(0);
  });

  test('load older messages page by page', async () => {
    const [first] = state().messages;
    const older = Array.from({ length: 120 }, (_, index) => ({
      ...first!,
      id: `msg_${String(index).padStart(26, 'A')}`,
      text: `old ${index}.`,
      timestamp: ago((200 - index) * 3_600_000).toISOString(),
    }));
    state().messages.unshift(...older);
    const page = await setup.open('/console/inbox/conversations/%2B4915112345678');
    await page.getByText('Are we still on').waitFor();
    expect(await page.getByText('old 20.').count()).toBe(0);
    const scroller = page.locator('.inbox-conversation .message-scroller');
    await eventually(async () => {
      await scroller.evaluate((box) => box.scrollTo(0, 0));
      return page.getByText('old 0.').count();
    }).toBe(1);
    await page.getByText('This is the first message that is kept.').waitFor();
  });

  test('mass mentions are allowed for one channel', async () => {
    const page = await setup.open('/console/inbox/conversations');
    await page.getByRole('checkbox', { name: /Agents may mention everyone/ }).check();
    await eventually(() => state().channels[0]?.allow_mass_mentions).toBe(true);
    expect(state().channels[1]?.allow_mass_mentions).toBe(false);
  });
});

describe('quarantine', () => {
  test('shows where a message comes from and warns of borrowed names', async () => {
    const page = await setup.open('/console/inbox/quarantine');
    const card = page.getByRole('article', { name: /Anna\s+Bërg/ });
    await card.getByText('992211008844667733').waitFor();
    await card.getByText('Discord', { exact: true }).waitFor();
    const warning = card.getByRole('note');
    expect(await warning.textContent()).toContain('184467440737095516');
    expect(
      await page
        .getByRole('article', { name: /Parcel Shop/ })
        .getByRole('note')
        .count(),
    ).toBe(0);
    expect(await page.locator('.section img').count()).toBe(0);
  });

  test('what came by SMS is not shown as if iMessage vouched for its sender', async () => {
    const [held] = state().quarantine;
    state().quarantine.unshift({
      ...held!,
      id: 'msg_00000000000000000000000001',
      source: 'imessage',
      channel_id: '+4915112345678',
      sender: { id: 'sms:+4915112345678', display_name: '+4915112345678', person_id: null },
    });
    const page = await setup.open('/console/inbox/quarantine');
    const card = page.getByRole('article', { name: '+4915112345678, SMS, sms:+4915112345678' });
    await card.getByText('SMS', { exact: true }).waitFor();
    expect(await card.getByText('iMessage', { exact: true }).count()).toBe(0);
    await card.getByRole('button', { name: 'Allow sender' }).click();
    await page.getByRole('dialog').getByText('Anybody can forge the sender of an SMS message.').waitFor();
  });

  test('one message is released without allowing its sender', async () => {
    const page = await setup.open('/console/inbox/quarantine');
    await page
      .getByRole('article', { name: /Parcel Shop/ })
      .getByRole('button', { name: 'Release this one' })
      .click();
    await page.getByText('the sender stays unknown').waitFor();
    await eventually(() => page.getByRole('article', { name: /Parcel Shop/ }).count()).toBe(0);
    expect(state().quarantine).toHaveLength(2);
    expect(state().allowlist).toHaveLength(3);
    await page.getByRole('link', { name: /Quarantine.*2 waiting/ }).waitFor();
  });

  test('a sender is allowed under a chosen name, and what they wrote is released', async () => {
    const page = await setup.open('/console/inbox/quarantine');
    await page
      .getByRole('article', { name: /Parcel Shop/ })
      .getByRole('button', { name: 'Allow sender' })
      .click();
    await page.getByLabel('Name shown to agents').fill('Parcel shop');
    await page.getByLabel(/^Person/).fill('shop');
    await page.getByRole('button', { name: 'Allow and release' }).click();
    await page.getByText('Parcel shop is allowed. 1 message released.').waitFor();
    expect(state().allowlist.at(-1)).toMatchObject({
      source: 'discord',
      sender_id: '771100223344556677',
      display_name: 'Parcel shop',
      person_id: 'shop',
    });
    await eventually(() => page.getByRole('article').count()).toBe(1);
  });

  test('a refusal is told and the message stays', async () => {
    setup.postern.fail({ method: 'POST', path: /release$/, how: 500, times: 1 });
    const page = await setup.open('/console/inbox/quarantine');
    await page.getByRole('button', { name: 'Release this one' }).first().click();
    await page.getByText('The message was not released.').waitFor();
    expect(state().quarantine).toHaveLength(3);
  });
});

describe('allowlist', () => {
  test('an entry is added, edited and removed', async () => {
    const page = await setup.open('/console/inbox/allowlist');
    await page.getByRole('button', { name: 'Add a sender' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Give the id of the account.').waitFor();
    await page.getByLabel('Sender id').fill('tomas');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added to the allowlist.').waitFor();
    await page.getByRole('button', { name: 'Edit tomas' }).click();
    await page.getByLabel('Name shown to agents').fill('Tomás');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove Tomás' }).click();
    expect(state().allowlist.at(-1)).toMatchObject({
      source: 'local',
      sender_id: 'tomas',
      display_name: 'Tomás',
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Tomás is no longer allowed.').waitFor();
    expect(state().allowlist).toHaveLength(3);
  });

  test('a name that is emptied is taken away', async () => {
    const page = await setup.open('/console/inbox/allowlist');
    await page.getByRole('button', { name: 'Edit Anna Berg' }).click();
    await page.getByLabel('Name shown to agents').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(() => state().allowlist.at(-1)).toMatchObject({ display_name: null, person_id: 'anna' });
  });
});

test('a pairing is approved after a look at its code', async () => {
  const page = await setup.open('/console/inbox/pairings');
  await page.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('K7WQ4MTX').waitFor();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'No one is waiting' }).waitFor();
  expect(state().allowlist.at(-1)).toMatchObject({ sender_id: '660011992288337744' });
});

describe('agents', () => {
  test('are listed with what they have read', async () => {
    const page = await setup.open('/console/inbox/agents');
    const card = page.getByRole('article', { name: 'support-bot', exact: true });
    await eventually(() => card.getByRole('definition').allTextContents()).toEqual(['14', '310']);
  });

  test('a new token is shown once, with what to paste, and can be copied', async () => {
    const { page, context } = await setup.openAll('/console/inbox/agents');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Use 1 to 64 letters').waitFor();
    await page.getByLabel('Agent', { exact: true }).fill('codex');
    await page.getByRole('checkbox', { name: /Send messages/ }).uncheck();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Copy token' }).click();
    const secret = await page.evaluate(() => navigator.clipboard.readText());
    expect(secret).toMatch(/^pat_/);
    await page.getByRole('tab', { name: 'Claude Code' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tabpanel').textContent()).toContain(`AMC_BEARER_TOKEN = "${secret}"`);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByText(secret).count()).toBe(0);
    expect(state().tokens.at(-1)).toMatchObject({ agent_id: 'codex', scopes: ['read'] });
  });

  test('a token is revoked', async () => {
    const page = await setup.open('/console/inbox/agents');
    await page.getByRole('button', { name: 'Revoke the token laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await eventually(() => page.getByRole('article', { name: 'Token laptop' }).count()).toBe(0);
    expect(state().tokens).toHaveLength(1);
  });
});

test('a dead delivery is replayed', async () => {
  const page = await setup.open('/console/inbox/webhooks');
  await page.getByText('HTTP 410').waitFor();
  const buttons = page.getByRole('button', { name: 'Replay', exact: true });
  await buttons.first().click();
  await page.getByText('Queued again').waitFor();
  await eventually(() => buttons.count()).toBe(2);
  await page.getByRole('button', { name: 'Waiting' }).click();
  await page.getByText('waiting', { exact: true }).waitFor();
});

test('dead deliveries say whose message they are, and are replayed at once', async () => {
  const page = await setup.open('/console/inbox/webhooks');
  await page
    .getByRole('article', { name: /message\.updated from Anna Berg/ })
    .getByRole('link', { name: '+4915112345678' })
    .waitFor();
  await page.getByRole('button', { name: 'Replay all 3' }).click();
  await page.getByText('3 deliveries queued again.').waitFor();
  await page.getByText('No dead deliveries').waitFor();
  expect(state().deliveries.map((delivery) => delivery.state)).toEqual(['pending', 'pending', 'pending']);
});

test('on a phone the section that is open is in sight, also once the counts have come', async () => {
  const page = await setup.open('/console/inbox/webhooks', { viewport: { width: 390, height: 844 } });
  await page.getByText('Replay all').waitFor();
  await page.getByRole('link', { name: /Pairings.*waiting/ }).waitFor();
  const edges = () =>
    page.getByRole('link', { name: 'Webhooks' }).evaluate((link) => {
      const { left, right } = link.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });
  await eventually(edges).toBe(true);
});

describe('the local chat beside the inbox', () => {
  test('without a channel it shows the first steps', async () => {
    const page = await setup.open('/console');
    await page.getByRole('heading', { name: 'Try Postern right here' }).waitFor();
    expect(await page.getByRole('list').getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'New channel' }).last().click();
    await page.getByRole('dialog', { name: 'New channel' }).waitFor();
  });

  test('whoever is held back is told so while they write, and let in from there', async () => {
    const [held] = state().quarantine;
    const own = { ...held!, id: 'msg_own', source: 'local', sender: { ...held!.sender, id: 'anna' } };
    state().quarantine.unshift(own);
    setup.postern.chat.openChannel('general', 'group');
    const page = await setup.open('/console/chat/general');
    await page.getByText('Agents don’t see what you write yet.').waitFor();
    await page.getByRole('link', { name: 'Let yourself in' }).click();
    await page.getByRole('button', { name: 'Allow sender' }).first().click();
    await page.getByRole('button', { name: 'Allow and release' }).click();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('heading', { name: 'general' }).waitFor();
    await eventually(() => page.getByText('Agents don’t see what you write yet.').count()).toBe(0);
  });
});

describe('an inbox with nothing in it', () => {
  const empty = (postern: FakePostern) =>
    Object.assign(postern.inbox.state, {
      channels: [],
      quarantine: [],
      allowlist: [],
      pairings: [],
      agents: [],
      tokens: [],
      deliveries: [],
    });

  test.each([
    ['conversations', 'No conversations yet'],
    ['quarantine', 'Nothing is held back'],
    ['allowlist', 'Nobody is allowed yet'],
    ['pairings', 'No one is waiting'],
    ['agents', 'No agent has read anything yet'],
    ['webhooks', 'No dead deliveries'],
  ])('%s say what to do', async (section, heading) => {
    empty(setup.postern);
    const page = await setup.open(`/console/inbox/${section}`);
    await page.getByRole('heading', { name: heading }).waitFor();
  });

  test('what can’t be loaded can be asked for again', async () => {
    setup.postern.fail({ method: 'GET', path: /^\/allowlist$/, how: 500, times: 3 });
    const page = await setup.open('/console/inbox/allowlist');
    await page.getByRole('heading', { name: 'Could not load the allowlist' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Edit Anna Berg' }).waitFor();
  });
});
