import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@postern/kit/testing';
import { describeEngines, freshStore } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { inboxMigrations } from '../src/migrations.ts';
import type { InboxTables } from '../src/tables.ts';
import { freshFolder } from '../src/testing/bench.ts';
import { ChatDb } from '../src/testing/fakes/imessage/chat-db.ts';
import type { IMessageChild } from './imessage-child.ts';

const ROUNDS = 4;
/** Written while nobody follows: more than a page. */
const MISSED = 210;
const LONGEST_LIFE_MS = 500;
const ANA = '+15551230001';
const PROGRAM = fileURLToPath(new URL('./imessage-child.ts', import.meta.url));

async function startChild(options: IMessageChild): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', PROGRAM, JSON.stringify(options)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

describeEngines('kill -9 of what follows Messages', (engine) => {
  test('whenever it comes, every message is there once, in its order, and the cursor is never ahead', async () => {
    const { store, place } = await freshStore<InboxTables>(engine, { migrations: inboxMigrations });
    const chatDb = join(await freshFolder(), 'chat.db');
    const db = new ChatDb(chatDb);
    onTestFinished(() => db.close());
    const chat = db.directChat(ANA);
    const guids: string[] = [];
    const say = () => {
      const bytes = guids.length % 50 === 0 ? Buffer.from(`file ${guids.length}`) : null;
      const files = bytes ? [{ name: 'a.txt', bytes }] : [];
      guids.push(db.message({ chat, from: ANA, text: `message ${guids.length}`, files }));
    };
    await store.db
      .insertInto('inbox_allowlist')
      .values({ source: 'imessage', sender_id: ANA, display_name: null, person_id: null, created_us: 1 })
      .execute();
    const rows = () =>
      store.db
        .selectFrom('inbox_messages')
        .innerJoin('inbox_platform_ids', 'inbox_platform_ids.message_id', 'inbox_messages.message_id')
        .select('platform_id')
        .orderBy('received_us')
        .execute();
    /** The cursor and what is stored, both as of one moment. */
    const progress = async () => {
      const row = await store.db
        .selectFrom('inbox_cursors')
        .select([
          'cursor',
          (select) =>
            select
              .selectFrom('inbox_messages')
              .select((of) => of.fn.countAll<number>().as('n'))
              .as('stored'),
        ])
        .executeTakeFirst();
      return row
        ? { row: (JSON.parse(row.cursor) as { row: number }).row, stored: Number(row.stored) }
        : null;
    };
    const options = { place, chatDb };

    let child = await startChild(options);
    while ((await progress()) === null) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await once(child, 'exit');

    const random = seededRandom(5);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let index = 0; index < MISSED; index += 1) say();
      child = await startChild(options);
      const talking = setInterval(say, 3);
      const [chance = 0] = random.bytes(1);
      await new Promise((resolve) => setTimeout(resolve, (chance / 256) * LONGEST_LIFE_MS));
      child.kill('SIGKILL');
      await once(child, 'exit');
      clearInterval(talking);
      // Each row of this database is a message that is taken in.
      const { row, stored } = (await progress())!;
      expect(row).toBe(stored);
    }

    await startChild(options);
    while ((await rows()).length < guids.length) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await rows()).map(({ platform_id }) => platform_id)).toEqual(guids);
    const { count } = await store.db
      .selectFrom('inbox_attachments')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('message_id', 'is not', null)
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(Math.ceil(guids.length / 50));
  }, 240_000);
});
