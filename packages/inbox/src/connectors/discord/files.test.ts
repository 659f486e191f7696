import { expect, test } from 'vitest';
import { discordBench } from '../../testing/fakes/discord/bench.ts';
import type { RestFault } from '../../testing/fakes/discord/faults.ts';
import { TEST_PAUSES } from '../../testing/fakes/discord/harness.ts';

/** Files of people, behind links that misbehave. */

const pauses = { ...TEST_PAUSES, fileMs: 300 };
const photo = { name: 'photo.png', bytes: Buffer.from('the bytes') };

test.each<[string, RestFault]>([
  ['an inner failure', { status: 503 }],
  ['too many calls', { status: 429 }],
  ['a broken connection', 'lose-call'],
  ['no answer', 'hang'],
])('%s of the link twice in a row costs no file', async (_, fault) => {
  const { fake, general, ana, start } = await discordBench({ pauses });
  const process = await start();
  fake.faults.rest.set('file', [fault, fault]);
  fake.say(general, ana, 'see', { files: [photo] });
  const [message] = await process.until((messages) => messages.length === 1);
  expect(message?.attachments).toMatchObject([{ size_bytes: 9 }]);
  expect(String(await process.bytesOf(message?.attachments[0]?.id ?? ''))).toBe('the bytes');
});

test('a link that stays dead is given up, and its message arrives', async () => {
  const { fake, general, ana, start } = await discordBench({ pauses });
  const process = await start();
  fake.faults.rest.set(
    'file',
    Array.from({ length: 3 }, () => ({ status: 503 })),
  );
  fake.say(general, ana, 'see', { files: [photo] });
  const [message] = await process.until((messages) => messages.length === 1);
  expect(message).toMatchObject({ attachments: [], raw: { missing_attachments: [{ name: 'photo.png' }] } });
  expect(fake.faults.rest.get('file')).toEqual([]);
});

test('files of one name, and files of nothing, arrive each as it is', async () => {
  const { fake, general, ana, start } = await discordBench({ pauses });
  const process = await start();
  const files = ['one', 'two', ''].map((text) => ({ name: 'same.txt', bytes: Buffer.from(text) }));
  fake.say(general, ana, '', { files });
  const [message] = await process.until((messages) => messages.length === 1);
  const bytes = (message?.attachments ?? []).map(async ({ id }) => String(await process.bytesOf(id)));
  expect(await Promise.all(bytes)).toEqual(['one', 'two', '']);
});
