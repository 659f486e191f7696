import { describe, expect, test } from 'vitest';
import { ago, anna, mei, onePixel, seedChat, tomas } from './fake/seed.ts';
import { composer, eventually, messageSaying, setUpConsole, useTool } from './support.ts';

const setup = setUpConsole(seedChat);
const stored = (text: string | RegExp) =>
  setup.postern.chat.messages.filter((message) =>
    text instanceof RegExp ? text.test(message.text) : message.text === text,
  );

describe('writing', () => {
  test('Enter sends, Shift+Enter makes a line', async () => {
    const page = await setup.open('/console/chat/general');
    await composer(page).click();
    await page.keyboard.type('upper line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('lower line');
    await page.keyboard.press('Enter');
    await eventually(() => stored('upper line\nlower line')).toHaveLength(1);
    expect(await composer(page).inputValue()).toBe('');
    await eventually(() => messageSaying(page, 'upper line').count()).toBe(1);
  });

  test('what is sent is seen at once, and once', async () => {
    const release = setup.postern.hold('POST', /\/messages$/);
    const page = await setup.open('/console/chat/general');
    await composer(page).fill('on its way');
    await page.keyboard.press('Enter');
    await page.getByText('Sending…').waitFor();
    release();
    await eventually(() => page.getByText('Sending…').count()).toBe(0);
    await eventually(() => page.locator('.conversation').getByText('on its way').count()).toBe(1);
  });

  test('a refused message stays with its words and its reason until it is sent', async () => {
    setup.postern.fail({ method: 'POST', path: /\/messages$/, how: 503, times: 2 });
    const page = await setup.open('/console/chat/general');
    await composer(page).fill('do not lose me');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Not sent' }).waitFor();
    await page.reload();
    await page.getByText('do not lose me').first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Something went wrong on the server').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(() => stored('do not lose me')).toHaveLength(1);
    await eventually(() => page.getByRole('alert').count()).toBe(0);
  });

  test('a message whose answer was lost is not sent twice', async () => {
    const page = await setup.open('/console/chat/general');
    await eventually(() => setup.postern.chat.streamCount()).toBe(1);
    setup.postern.chat.cutLine();
    setup.postern.fail({ method: 'POST', path: /\/messages$/, how: 'hang-up', carriedOut: true, times: 1 });
    await composer(page).fill('only once');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(() => page.getByRole('alert').count()).toBe(0);
    expect(stored('only once')).toHaveLength(1);
    await eventually(() => messageSaying(page, 'only once').count()).toBe(1);
  });

  test('a failed message can be taken back into the box, or discarded', async () => {
    setup.postern.fail({ method: 'POST', path: /\/messages$/, how: 422, times: 2 });
    const page = await setup.open('/console/chat/general');
    await composer(page).fill('first try');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByRole('button', { name: 'Edit' }).click();
    expect(await composer(page).inputValue()).toBe('first try');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByRole('button', { name: 'Discard' }).click();
    await eventually(() => page.getByText('first try').count()).toBe(0);
    expect(stored('first try')).toHaveLength(0);
  });

  test('a draft stays in its channel', async () => {
    const page = await setup.open('/console/chat/general');
    await composer(page).fill('for general');
    await page.getByRole('link', { name: /release/ }).click();
    await page.getByRole('heading', { name: 'release' }).waitFor();
    expect(await composer(page).inputValue()).toBe('');
    await page.getByRole('link', { name: /general.*Draft/ }).click();
    await eventually(() => composer(page).inputValue()).toBe('for general');
  });

  test('someone can be mentioned by the keyboard alone', async () => {
    const page = await setup.open('/console/chat/general');
    await composer(page).click();
    await page.keyboard.type('ask @po');
    await page.getByRole('option', { name: /Postern/ }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => composer(page).inputValue()).toBe('ask @postern ');
  });

  test('Markdown is shown, HTML is not', async () => {
    const page = await setup.open('/console/chat/general');
    const html =
      '<img src=x onerror="document.title=1"> **bold** [site](https://example.com/x) [no](javascript:alert(1))';
    setup.postern.chat.post({ channel: 'general', user: mei, text: html });
    const message = messageSaying(page, 'bold');
    await message.waitFor();
    expect(await message.locator('strong').textContent()).toBe('bold');
    expect(await message.locator('img').count()).toBe(0);
    expect(await message.textContent()).toContain('<img src=x');
    const link = message.getByRole('link');
    expect(await link.count()).toBe(1);
    expect(await link.getAttribute('rel')).toContain('noopener');
  });
});

describe('a message', () => {
  test('is answered with a quote', async () => {
    const page = await setup.open('/console/chat/general');
    await useTool(messageSaying(page, 'A bit pale'), 'Reply');
    await page.getByText('Reply to Mei Lin').waitFor();
    await page.keyboard.type('75 it is');
    await page.keyboard.press('Enter');
    await eventually(() => stored('75 it is').length).toBe(1);
    expect(stored('75 it is')[0]?.reply_to).toBe(stored(/^A bit pale/)[0]?.id);
    await messageSaying(page, '75 it is')
      .getByRole('button', { name: /Mei Lin A bit pale/ })
      .waitFor();
  });

  test('is edited by its author, and says so', async () => {
    const page = await setup.open('/console/chat/general');
    await composer(page).fill('tpyo');
    await page.keyboard.press('Enter');
    await eventually(() => stored('tpyo')).toHaveLength(1);
    await composer(page).press('ArrowUp');
    const box = page.getByRole('textbox', { name: 'Edit the message' });
    await box.fill('typo');
    await box.press('Enter');
    await eventually(() => stored('typo')).toHaveLength(1);
    await messageSaying(page, 'typo').getByText('(edited)').waitFor();
    expect(await composer(page).evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('of somebody else is neither edited nor deleted', async () => {
    const page = await setup.open('/console/chat/general');
    const message = messageSaying(page, 'A bit pale');
    await message.hover();
    await message.getByRole('button', { name: 'Reply', exact: true }).waitFor();
    expect(await message.getByRole('button', { name: /^(Edit|Delete)$/ }).count()).toBe(0);
  });

  test('is deleted after a question', async () => {
    const page = await setup.open('/console/chat/general');
    await useTool(messageSaying(page, 'new label for the parcel'), 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This message was deleted.').waitFor();
    expect(stored(/new label/)).toHaveLength(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('gets reactions by name with the chosen tone, and loses them again', async () => {
    const page = await setup.open('/console/chat/general');
    const message = messageSaying(page, 'A bit pale');
    await useTool(message, 'React with another emoji');
    const picker = page.getByRole('dialog', { name: 'Choose an emoji' });
    await picker.getByRole('radio', { name: 'medium dark' }).check({ force: true });
    await picker.getByRole('searchbox').fill('thumb');
    await picker.getByRole('button', { name: 'thumbs up' }).click();
    const pill = message.getByRole('button', { name: 'thumbs up, 1 reaction: You' });
    await pill.waitFor();
    expect(await pill.textContent()).toContain('👍🏾');
    await eventually(() => stored(/^A bit pale/)[0]?.reactions.at(-1)).toEqual({
      emoji: '+1::skin-tone-5',
      user_ids: ['anna'],
    });
    await pill.click();
    await eventually(() => pill.count()).toBe(0);
    await eventually(() => stored(/^A bit pale/)[0]?.reactions).toHaveLength(1);
  });

  test('takes a reaction back when it could not be saved', async () => {
    setup.postern.fail({ method: 'POST', path: /\/reactions$/, how: 500, times: 1 });
    const page = await setup.open('/console/chat/general');
    const message = messageSaying(page, 'quiet zone of 5 mm');
    await useTool(message, 'React with white check mark');
    await page.getByText('Your reaction was not saved').waitFor();
    expect(await message.getByRole('list', { name: 'Reactions' }).count()).toBe(0);
  });

  test('of an agent looks like one', async () => {
    const page = await setup.open('/console/chat/dm-mei');
    const message = messageSaying(page, 'Thursday at 18:00');
    await message.getByText('agent', { exact: true }).waitFor();
    expect(await message.locator('.message-agent').count()).toBe(1);
    expect(await messageSaying(page, 'dentist').locator('.message-agent').count()).toBe(0);
  });

  test('of the bot of the sessions is told from one of the inbox', async () => {
    const page = await setup.open('/console/chat/dm-mei');
    await messageSaying(page, 'Thursday at 18:00').waitFor();
    setup.postern.chat.post({
      channel: 'dm-mei',
      user: { id: 'postern', name: 'Postern' },
      text: 'from the inbox',
    });
    setup.postern.chat.post({
      channel: 'dm-mei',
      user: { id: 'postern', name: 'postern' },
      text: 'from a session',
    });
    await messageSaying(page, 'from a session').getByText('sessions bot', { exact: true }).waitFor();
    expect(await messageSaying(page, 'from the inbox').getByText('sessions bot').count()).toBe(0);
  });

  test('is found by its permalink', async () => {
    const { page, context } = await setup.openAll('/console/chat/release');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await useTool(messageSaying(page, 'Changelog'), 'Copy the link');
    await page.getByText('Link copied').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toBe(stored(/^Changelog/)[0]?.permalink);
    await page.goto(link);
    await page.locator('.message-highlighted').getByText('Changelog').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/chat/release/${stored(/^Changelog/)[0]?.id}`);
  });

  test('that a link leads to nothing is said', async () => {
    const page = await setup.open('/console/chat/release/post_00000000000000000000000000');
    await page.getByRole('heading', { name: 'This message can’t be found' }).waitFor();
    await page.getByRole('button', { name: 'Show the newest messages' }).click();
    await messageSaying(page, 'Changelog').waitFor();
  });
});

describe('files', () => {
  test('a picked picture is previewed, sent and shown', async () => {
    const page = await setup.open('/console/chat/general');
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'grey.png', mimeType: 'image/png', buffer: onePixel },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
    ]);
    await page.locator('.thumbnail canvas:not([hidden])').waitFor();
    await page.getByRole('button', { name: 'Remove notes.txt' }).click();
    await composer(page).press('Enter');
    await eventually(() => setup.postern.chat.messages.at(-1)?.attachments.map(({ name }) => name)).toEqual([
      'grey.png',
    ]);
    const id = setup.postern.chat.messages.at(-1)?.attachments[0]?.id ?? '';
    expect(Buffer.from(setup.postern.chat.files.get(id)!.bytes).equals(onePixel)).toBe(true);
    const picture = page.getByRole('button', { name: 'Enlarge grey.png' });
    await eventually(() =>
      picture.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(1);
    await picture.click();
    await page
      .getByRole('dialog', { name: 'grey.png' })
      .getByRole('link', { name: /Download/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
  });

  test.each(['paste', 'drop'])('a file comes in by %s', async (way) => {
    const page = await setup.open('/console/chat/general');
    const target = way === 'paste' ? composer(page) : page.locator('.conversation');
    await composer(page).waitFor();
    await target.evaluate((element, kind) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['hello'], 'notes.txt', { type: 'text/plain' }));
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
      element.dispatchEvent(event);
    }, way);
    await page.getByRole('button', { name: 'Remove notes.txt' }).waitFor();
    await composer(page).fill('see');
    await composer(page).press('Enter');
    await eventually(() => stored('see')[0]?.attachments[0]?.size_bytes).toBe(5);
  });

  test('too many files are refused before anything is read', async () => {
    const page = await setup.open('/console/chat/general');
    const files = Array.from({ length: 11 }, (_, index) => ({
      name: `${index}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('x'),
    }));
    await page.getByLabel('Files to attach').setInputFiles(files);
    await page.getByText('A message takes at most 10 files.').waitFor();
  });
});

describe('threads', () => {
  test('a reply in a thread stays there and is counted in the channel', async () => {
    const page = await setup.open('/console/chat/general');
    await useTool(messageSaying(page, 'A bit pale'), 'Reply in a thread');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('No replies yet').waitFor();
    await thread.getByRole('textbox').fill('in here');
    await page.keyboard.press('Enter');
    await eventually(() => stored('in here')[0]?.thread_id).toBe(stored(/^A bit pale/)[0]?.id);
    await thread.getByRole('article').filter({ hasText: 'in here' }).waitFor();
    await messageSaying(page, 'A bit pale')
      .getByRole('button', { name: '1 reply last reply just now' })
      .waitFor();
    expect(await messageSaying(page, 'in here').count()).toBe(0);
    await thread.getByRole('textbox').press('Escape');
    await eventually(() => thread.count()).toBe(0);
  });

  test('the toolbar of the message goes when its thread takes over', async () => {
    const page = await setup.open('/console/chat/general');
    await useTool(messageSaying(page, 'A bit pale'), 'Reply in a thread');
    const box = page.getByRole('complementary', { name: 'Thread' }).getByRole('textbox');
    await box.hover();
    await eventually(() => box.evaluate((element) => element === document.activeElement)).toBe(true);
    await eventually(() => page.locator('.conversation').getByRole('toolbar').count()).toBe(0);
  });

  test('a link to a reply opens its thread at the reply', async () => {
    const reply = stored('Done: 12 of 12 linked.')[0];
    const page = await setup.open(`/chat/general/${reply?.id}`);
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.locator('.message-highlighted').getByText('12 of 12').waitFor();
    await thread.getByRole('button', { name: 'Close the thread' }).click();
    await eventually(() => thread.count()).toBe(0);
  });
});

describe('long histories', () => {
  const fill = (count: number) => {
    setup.postern.chat.openChannel('long', 'group', [anna, mei]);
    for (let index = 0; index < count; index += 1) {
      const user = index % 3 === 0 ? tomas : mei;
      setup.postern.chat.post({
        channel: 'long',
        user,
        text: `line ${index}.`,
        at: ago((count - index) * 60_000),
      });
    }
  };
  const lineTop = (text: string) =>
    `[...document.querySelectorAll('article')].find((one) => one.textContent.includes(${JSON.stringify(text)}))?.getBoundingClientRect().top`;

  test('a channel opens at its end, and older messages come without moving what is read', async () => {
    fill(120);
    const page = await setup.open('/console/chat/long');
    await messageSaying(page, 'line 119.').waitFor();
    const scroller = page.locator('.conversation .message-scroller');
    expect(
      await scroller.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight),
    ).toBeLessThan(2);
    expect(await messageSaying(page, 'line 69.').count()).toBe(0);
    const release = setup.postern.hold('GET', /\/local\/api\/messages$/);
    await scroller.evaluate((box) => box.scrollTo(0, 60));
    await page.getByText('Loading older messages…').waitFor();
    const before = await page.evaluate(lineTop('line 72.'));
    release();
    await messageSaying(page, 'line 0.').waitFor({ state: 'attached' });
    expect(Math.abs(Number(await page.evaluate(lineTop('line 72.'))) - Number(before))).toBeLessThan(2);
    await scroller.evaluate((box) => box.scrollTo(0, 0));
    await page.getByText('This is the beginning of long.').waitFor();
  });

  test('whoever reads above is told of new messages, and not dragged down', async () => {
    fill(60);
    const page = await setup.open('/console/chat/long');
    await messageSaying(page, 'line 59.').waitFor();
    const scroller = page.locator('.conversation .message-scroller');
    await scroller.evaluate((box) => box.scrollTo(0, box.scrollTop - 400));
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    const before = await scroller.evaluate((box) => box.scrollTop);
    setup.postern.chat.post({ channel: 'long', user: mei, text: 'something new' });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await scroller.evaluate((box) => box.scrollTop)).toBe(before);
    await page.getByRole('button', { name: '1 new' }).click();
    await eventually(() => page.getByRole('button', { name: '1 new' }).count()).toBe(0);
  });

  test('a link to a message older than every page shows it and what came after', async () => {
    fill(460);
    const old = stored('line 20.')[0];
    const page = await setup.open(`/console/chat/long/${old?.id}`);
    await page.locator('.message-highlighted').getByText('line 20.').waitFor();
    await page.getByText('You are looking at older messages.').waitFor();
    const scroller = page.locator('.conversation .message-scroller');
    await eventually(async () => {
      await scroller.evaluate((box) => box.scrollTo(0, box.scrollHeight));
      return messageSaying(page, 'line 459.').count();
    }).toBe(1);
    await page.getByRole('button', { name: 'Go to the newest' }).click();
    await messageSaying(page, 'line 459.').waitFor();
    expect(await page.getByText('You are looking at older messages.').count()).toBe(0);
  });
});

describe('channels and people', () => {
  test('a channel that does not exist can be made on the spot', async () => {
    const page = await setup.open('/console/chat/planning');
    await page.getByRole('heading', { name: 'There is no channel “planning”' }).waitFor();
    await page.getByRole('button', { name: 'Create it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Nothing said yet').last().waitFor();
    await eventually(() => page.url()).toBe(`${setup.postern.url}/console/chat/planning`);
  });

  test('a direct message with Postern has the name that agents expect', async () => {
    const page = await setup.open('/console/chat/general');
    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByRole('radio', { name: /Direct message/ }).check();
    await page.getByText('local:dm-anna').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Postern' }).waitFor();
    await eventually(() => page.url()).toBe(`${setup.postern.url}/console/chat/dm-anna`);
  });

  test('the direct messages of somebody else can be read, not joined', async () => {
    const page = await setup.open('/console/chat/dm-mei');
    await page.getByText('This is between Mei Lin and Postern.').waitFor();
    expect(await composer(page).count()).toBe(0);
    await messageSaying(page, 'the dentist').hover();
    expect(await page.getByRole('toolbar').getByRole('button', { name: 'Reply', exact: true }).count()).toBe(
      0,
    );
    await page.locator('.conversation').getByRole('button', { name: 'Change who you are' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mei Lin' }).click();
    await composer(page).fill('mine');
    await composer(page).press('Enter');
    await eventually(() => stored('mine')[0]?.user.id).toBe('mei');
  });

  test('nobody writes before saying who they are, and the choice is kept', async () => {
    const page = await setup.open('/console/chat/general', { person: null });
    await page.getByRole('button', { name: 'Choose a name', exact: true }).click();
    await page.getByLabel('Name').fill('Postern');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await page.getByText('Agents speak as “postern”').waitFor();
    await page.getByLabel('Name').fill('Zoë Müller');
    expect(await page.getByLabel('Id', { exact: true }).inputValue()).toBe('zoe-muller');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await composer(page).fill('it is me');
    await page.keyboard.press('Enter');
    await eventually(() => stored('it is me')[0]?.user).toEqual({ id: 'zoe-muller', name: 'Zoë Müller' });
    await page.reload();
    await page.getByText('@zoe-muller').waitFor();
  });

  test('someone known is chosen from the list', async () => {
    const page = await setup.open('/console/chat/general');
    await page.getByRole('button', { name: /Change who you speak as/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Tomás Rivera/ })
      .click();
    await composer(page).fill('as somebody else');
    await page.keyboard.press('Enter');
    await eventually(() => stored('as somebody else')[0]?.user).toEqual(tomas);
  });

  test('channels that can’t be loaded say so and can be asked for again', async () => {
    setup.postern.fail({ method: 'GET', path: /\/local\/api\/channels$/, how: 500, times: 3 });
    const page = await setup.open('/console/chat/general');
    await page.getByRole('heading', { name: 'The channels could not be loaded' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'general' }).waitFor();
  });
});
