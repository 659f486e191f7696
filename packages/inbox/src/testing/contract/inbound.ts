import { expect, test } from 'vitest';
import { type ContractTools, numbered, sayAll } from './tools.ts';

/** What people write, change and take back while the connector runs. */
export function inboundContract({ traits, start, testFault }: ContractTools): void {
  test('what somebody writes in a group arrives as it was written', async () => {
    const { harness, process } = await start();
    await harness.say(harness.ben, 'Grüße 👍🏽\n```js\nlet a = 1;\n```');
    const [message] = await process.until((messages) => messages.length > 0);
    expect(message).toMatchObject({
      source: process.connector.source,
      channel_id: harness.group,
      channel_type: 'group',
      sender: { id: harness.ben.id, display_name: harness.ben.displayName },
      text: 'Grüße 👍🏽\n```js\nlet a = 1;\n```',
      attachments: [],
      reply_to: null,
      direction: 'inbound',
    });
    expect(Math.abs(Date.parse(message?.timestamp ?? '') - Date.now())).toBeLessThan(3_600_000);
  });

  test('what somebody writes in a direct message says that it is one', async () => {
    const { harness, process } = await start();
    await harness.say(harness.ana, 'just us', { channelId: harness.direct });
    const [message] = await process.until((messages) => messages.length > 0);
    expect(message).toMatchObject({ channel_id: harness.direct, channel_type: 'dm', text: 'just us' });
  });

  test('many messages arrive once each, in the order they were written', async () => {
    const { harness, process } = await start();
    const texts = numbered(30);
    await sayAll(harness, texts);
    await process.until((messages) => messages.length >= texts.length);
    expect(await process.texts()).toEqual(texts);
  });

  if (traits.replies) {
    test('an answer says what it answers', async () => {
      const { harness, process } = await start();
      const question = await harness.say(harness.ana, 'tea or coffee?');
      await harness.say(harness.ben, 'tea', { replyTo: question });
      const [first, second] = await process.until((messages) => messages.length >= 2);
      expect(second).toMatchObject({ text: 'tea', reply_to: first?.id });
    });
  }

  if (traits.edits) {
    test('a change of the text reaches the stored message', async () => {
      const { harness, process } = await start();
      const id = await harness.say(harness.ana, 'at nine');
      const [before] = await process.until((messages) => messages.length > 0);
      await harness.edit?.(id, 'at ten');
      const [after] = await process.until(([message]) => message?.text === 'at ten');
      expect(after).toMatchObject({ id: before?.id, text: 'at ten', timestamp: before?.timestamp });
    });
  }

  if (traits.deletes) {
    test('what is taken back leaves unread', async () => {
      const { harness, process } = await start();
      const id = await harness.say(harness.ana, 'oh no');
      await harness.say(harness.ana, 'better');
      await process.until((messages) => messages.length === 2);
      await harness.delete?.(id);
      await process.until((messages) => messages.length === 1);
      expect(await process.texts()).toEqual(['better']);
    });
  }

  if (traits.files) {
    test("the bytes of people's files are the hub's own", async () => {
      const { harness, process } = await start();
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 251);
      await harness.say(harness.ana, 'see this', { files: [{ name: 'numbers.bin', bytes }] });
      const [message] = await process.until((messages) => messages.length > 0);
      expect(message?.attachments).toMatchObject([{ size_bytes: bytes.length }]);
      const kept = await process.bytesOf(message!.attachments[0]!.id);
      expect(Buffer.compare(kept, bytes)).toBe(0);
    });

    test('a file that is too large is noted, and its message arrives', async () => {
      const { harness, process } = await start();
      const bytes = new Uint8Array(1_048_577);
      await harness.say(harness.ana, 'a big one', { files: [{ name: 'big.bin', bytes }] });
      const [message] = await process.until((messages) => messages.length > 0);
      expect(message).toMatchObject({ text: 'a big one', attachments: [] });
      expect(message?.raw).toMatchObject({
        missing_attachments: [{ name: 'big.bin', size_bytes: 1_048_577 }],
      });
    });
  }

  testFault('loseNextFile', 'a file that cannot be fetched is noted, and its message arrives', async () => {
    const { harness, process } = await start();
    harness.faults.loseNextFile?.();
    const bytes = Buffer.from('gone');
    await harness.say(harness.ana, 'you had to be there', { files: [{ name: 'gone.txt', bytes }] });
    const [message] = await process.until((messages) => messages.length > 0);
    expect(message).toMatchObject({ text: 'you had to be there', attachments: [] });
    expect(message?.raw).toMatchObject({ missing_attachments: [{ name: 'gone.txt' }] });
  });

  testFault('repeatNextEvent', 'an event that comes twice is one message', async () => {
    const { harness, process } = await start();
    harness.faults.repeatNextEvent?.();
    await sayAll(harness, ['once', 'and on']);
    await process.until((messages) => messages.some(({ text }) => text === 'and on'));
    expect(await process.texts()).toEqual(['once', 'and on']);
  });

  testFault('swapNextEvents', 'events in the wrong order lose nothing', async () => {
    const { harness, process } = await start();
    harness.faults.swapNextEvents?.();
    await sayAll(harness, ['first', 'second', 'third']);
    await process.until((messages) => messages.length >= 3);
    expect((await process.texts()).sort()).toEqual(['first', 'second', 'third']);
  });
}
