import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../bench.ts';
import { type ContractTools, type Started, sayAll } from './tools.ts';

/** What agents send. */
export function outboundContract({ traits, start, testFault }: ContractTools): void {
  /** With both channels known, since nobody can be written to who has not written. */
  async function conversation(allowedDirs?: readonly string[]): Promise<Started & { question: string }> {
    const started = await start(allowedDirs);
    const { harness, process } = started;
    const question = await harness.say(harness.ana, 'hello?');
    await harness.say(harness.ana, 'psst', { channelId: harness.direct });
    await process.until((messages) => messages.length >= 2);
    return { ...started, question };
  }

  test('what an agent sends is there for people, word for word', async () => {
    const { harness, process } = await conversation();
    await process.send(harness.group, 'Grüße 👍🏽 "quoted" $HOME `id` \\ <b>');
    await process.send(harness.direct, 'to you alone');
    expect(await harness.sent(harness.group)).toMatchObject([
      { text: 'Grüße 👍🏽 "quoted" $HOME `id` \\ <b>', files: [] },
    ]);
    expect(await harness.sent(harness.direct)).toMatchObject([{ text: 'to you alone' }]);
  });

  test('what an agent sent does not come back as a message from somebody', async () => {
    const { harness, process } = await conversation();
    await process.send(harness.group, 'from us');
    await sayAll(harness, ['from ana']);
    await process.until((messages) => messages.some(({ text }) => text === 'from ana'));
    expect(await process.texts()).toEqual(['hello?', 'psst', 'from ana']);
  });

  test('sends are outbound messages of the account in their context', async () => {
    const { harness, process } = await conversation();
    const messageId = await process.send(harness.group, 'from us');
    const context = await process.inbox.contextOf({
      channelId: harness.group,
      messageId,
      before: 0,
      after: 0,
    });
    expect(context).toMatchObject([
      { direction: 'outbound', text: 'from us', sender: { id: process.connector.self.id } },
    ]);
  });

  test('a text longer than a message may be is sent in parts, none too long', async () => {
    const { harness, process } = await conversation();
    const { limit } = process.connector.capabilities.text;
    const text = '👍🏽 words '.repeat(Math.ceil((limit * 2) / 8));
    await process.send(harness.group, text);
    const sent = await harness.sent(harness.group);
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.map((part) => part.text).join('')).toBe(text);
  });

  test('nobody is rung for by a mention of everybody', async () => {
    const { harness, process } = await conversation();
    await process.send(harness.group, 'hi @everyone, @here, @channel and @all');
    const [message] = await harness.sent(harness.group);
    expect(message && harness.ringsForAll(message)).toBe(false);
  });

  if (traits.replies) {
    test('an answer of an agent says what it answers', async () => {
      const { harness, process, question } = await conversation();
      const [asked] = await process.received();
      await process.send(harness.group, 'yes?', { replyTo: asked!.id });
      expect(await harness.sent(harness.group)).toMatchObject([{ text: 'yes?', replyTo: question }]);
    });
  }

  if (traits.replies && traits.deletes) {
    test('an answer to what was taken back at the platform is sent all the same', async () => {
      const { harness, process, question } = await conversation();
      const [asked] = await process.received();
      await harness.delete?.(question);
      await process.until((messages) => messages.length === 1);
      await process.send(harness.group, 'too late', { replyTo: asked!.id }).catch(() => undefined);
      await process.send(harness.group, 'still here');
      expect((await harness.sent(harness.group)).at(-1)).toMatchObject({ text: 'still here' });
    });
  }

  if (traits.files) {
    test('files of an agent arrive with their bytes and names', async () => {
      const folder = await freshFolder();
      const { harness, process } = await conversation([folder]);
      const path = join(folder, 'plan & "more".txt');
      await writeFile(path, 'the plan');
      await process.send(harness.group, 'look', { paths: [path] });
      const files = (await harness.sent(harness.group)).flatMap((message) => message.files);
      expect(files.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['the plan']);
      expect(files[0]?.name).toMatch(/plan.*\.txt$/);
    });
  }

  testFault('refuseNextSend', 'what the platform refuses is a failure, and nothing is there', async () => {
    const { harness, process } = await conversation();
    harness.faults.refuseNextSend?.();
    await expect(process.send(harness.group, 'no')).rejects.toMatchObject({
      code: 'PLATFORM_SEND_FAILED',
      details: { delivery: 'failed' },
    });
    expect(await harness.sent(harness.group)).toEqual([]);
    await process.send(harness.group, 'yes');
    expect(await harness.sent(harness.group)).toMatchObject([{ text: 'yes' }]);
  });

  testFault(
    'refuseCredentialsOfNextSend',
    'refused credentials are told apart and seen in health',
    async () => {
      const { harness, process } = await conversation();
      harness.faults.refuseCredentialsOfNextSend?.();
      await expect(process.send(harness.group, 'no')).rejects.toMatchObject({ code: 'PLATFORM_AUTH' });
      expect(process.inbox.health()).toMatchObject([{ status: 'degraded', detail: expect.any(String) }]);
      await process.send(harness.group, 'yes');
      expect(process.inbox.health()).toMatchObject([{ status: 'ok' }]);
    },
  );

  testFault('loseAnswerOfNextSend', 'a send without an answer is never there twice', async () => {
    const { harness, process } = await conversation();
    harness.faults.loseAnswerOfNextSend?.();
    const outcome = await process.send(harness.group, 'once').then(
      () => 'sent',
      (error: unknown) => (error as { details?: { delivery?: string } }).details?.delivery,
    );
    expect(['sent', 'unknown']).toContain(outcome);
    expect((await harness.sent(harness.group)).map(({ text }) => text)).toEqual(['once']);
  });
}
