import { expect, test } from 'vitest';
import type { OutgoingFile } from '../../platforms/platform.ts';
import type { PlatformHarness } from '../platform-harness.ts';
import { botTexts, type ContractTools, expectRefusal } from './tools.ts';

const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);

export function filesContract({ start, traits }: ContractTools): void {
  test('a file goes up into a thread, its caption with it', async () => {
    const harness = await start();
    const root = await harness.say(harness.ada, 'the plot, please');
    const ref = await harness.platform.upload(
      file(harness, { threadId: root.postId, bytes: BYTES, caption: 'Here it is.' }),
    );
    expect(await harness.platform.readPost(ref)).toMatchObject({
      threadId: root.postId,
      text: 'Here it is.',
      author: harness.bot,
      files: [{ name: 'plot data.bin', sizeBytes: BYTES.length }],
    });
    const [stored] = await harness.serverFiles(ref);
    expect(stored?.name).toBe('plot data.bin');
    expect(Buffer.from(stored?.bytes ?? []).equals(BYTES)).toBe(true);
  });

  test('a file goes up without a caption', async () => {
    const harness = await start();
    const ref = await harness.platform.upload(file(harness, { bytes: BYTES }));
    expect(await harness.serverFiles(ref)).toHaveLength(1);
  });

  test('an empty file is refused and posts nothing', async () => {
    const harness = await start();
    const call = harness.platform.upload(file(harness, { bytes: new Uint8Array(), caption: 'x' }));
    await expectRefusal(call, 'refused');
    expect(await botTexts(harness, harness.platform.channelId)).toEqual([]);
  });

  const { tooManyBytes } = traits;
  if (tooManyBytes !== null) {
    test('a file that is too large is refused and posts nothing', async () => {
      const harness = await start();
      const call = harness.platform.upload(file(harness, { bytes: new Uint8Array(tooManyBytes) }));
      await expectRefusal(call, 'too_large');
      expect(await botTexts(harness, harness.platform.channelId)).toEqual([]);
    });
  }

  test('a person’s file is read, within the bytes that are asked for', async () => {
    const harness = await start();
    const said = await harness.say(harness.ada, 'look', {
      files: [{ name: 'notes.txt', mime: 'text/plain', bytes: BYTES }],
    });
    const [found] = (await harness.platform.readPost(said))?.files ?? [];
    expect(found).toMatchObject({ name: 'notes.txt', sizeBytes: BYTES.length });
    if (found === undefined) return;
    const read = await harness.platform.download(found, { maxBytes: BYTES.length });
    expect(Buffer.from(read).equals(BYTES)).toBe(true);
    await expectRefusal(harness.platform.download(found, { maxBytes: BYTES.length - 1 }), 'too_large');
    // What the platform said of the size is not to be trusted either.
    const lying = { ...found, sizeBytes: 1 };
    await expectRefusal(harness.platform.download(lying, { maxBytes: 10 }), 'too_large');
  });

  test('a file that is not there is not found', async () => {
    const harness = await start();
    const said = await harness.say(harness.ada, 'look', {
      files: [{ name: 'notes.txt', mime: 'text/plain', bytes: BYTES }],
    });
    const [found] = (await harness.platform.readPost(said))?.files ?? [];
    expect(found).toBeDefined();
    if (found === undefined) return;
    const nowhere = { ...found, id: `${found.id.slice(0, -1)}${found.id.endsWith('0') ? '1' : '0'}` };
    await expectRefusal(harness.platform.download(nowhere, { maxBytes: 100_000 }), 'not_found');
  });
}

function file(
  { platform }: PlatformHarness,
  { bytes, caption, threadId }: { bytes: Uint8Array; caption?: string; threadId?: string },
): OutgoingFile {
  return {
    channelId: platform.channelId,
    threadId: threadId ?? null,
    name: 'plot data.bin',
    mime: 'application/octet-stream',
    sizeBytes: bytes.length,
    content: halves(bytes),
    caption: caption ?? null,
  };
}

async function* halves(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const middle = Math.floor(bytes.length / 2);
  yield bytes.subarray(0, middle);
  yield bytes.subarray(middle);
}
