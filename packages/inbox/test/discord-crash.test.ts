import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@postern/kit/testing';
import { describeEngines, freshStore } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { inboxMigrations } from '../src/migrations.ts';
import type { InboxTables } from '../src/tables.ts';
import { type FakeDiscord, fakeDiscord } from '../src/testing/fakes/discord/fake-discord.ts';
import type { FakeChannel } from '../src/testing/fakes/discord/world.ts';
import type { DiscordChild } from './discord-child.ts';

const CHANNELS = 5;
const ROUNDS = 4;
/** Said in each channel while nobody listens. */
const MISSED = 12;
/** A process stores at most so many messages before it dies: while it connects, reads what was missed, or listens. */
const LONGEST_LIFE = 120;
/** Opcode of a client that begins a session. */
const IDENTIFY = 2;
const PROGRAM = fileURLToPath(new URL('./discord-child.ts', import.meta.url));

async function startChild(options: DiscordChild): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

/** Lets people talk in all channels until told to stop. */
function talking({ say }: FakeDiscord, channels: readonly FakeChannel[], talk: Talk): () => void {
  const timer = setInterval(() => {
    for (const channel of channels) say(channel, talk.author, talk.next());
  }, 50);
  return () => clearInterval(timer);
}

/** Looks again and again; the test's own time is the limit. */
async function until(isIt: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isIt())) await new Promise((resolve) => setTimeout(resolve, 20));
}

interface Talk {
  readonly author: ReturnType<FakeDiscord['world']['addUser']>;
  next(): string;
}

describeEngines('kill -9 of what takes in Discord', (engine) => {
  test('whenever it comes, every message is there once, in the order of its channel', async () => {
    const { store, place } = await freshStore<InboxTables>(engine, { migrations: inboxMigrations });
    const fake = await fakeDiscord();
    onTestFinished(() => fake.stop());
    const { world } = fake;
    const guildId = world.addGuild('Test');
    const general = world.addChannel({ type: 0, guildId, name: 'general' });
    const channels = [
      general,
      world.addChannel({ type: 1 }),
      ...Array.from({ length: CHANNELS - 3 }, () => world.addChannel({ type: 0, guildId })),
      world.addChannel({ type: 11, guildId, parentId: general.id }),
    ];
    let count = 0;
    const talk: Talk = { author: world.addUser('Ana'), next: () => `message ${++count}` };
    await store.db
      .insertInto('inbox_allowlist')
      .values({
        source: 'discord',
        sender_id: talk.author.id,
        display_name: null,
        person_id: null,
        created_us: 1,
      })
      .execute();
    const storedCount = async () => {
      const { count } = store.db.fn;
      const row = await store.db
        .selectFrom('inbox_messages')
        .select(count<number>('message_id').as('n'))
        .executeTakeFirst();
      return Number(row?.n);
    };
    const options = { place, apiUrl: fake.apiUrl, token: fake.token };

    // A direct channel is known to nobody before somebody has written in it.
    let child = await startChild(options);
    await until(() => fake.gateway.received.includes(IDENTIFY));
    for (const channel of channels) fake.say(channel, talk.author, talk.next());
    await until(async () => (await storedCount()) === channels.length);
    child.kill('SIGKILL');

    const random = seededRandom(11);
    for (let round = 0; round < ROUNDS; round += 1) {
      fake.gateway.forgetSessions();
      for (let index = 0; index < MISSED; index += 1) {
        for (const channel of channels) fake.say(channel, talk.author, talk.next());
      }
      const before = await storedCount();
      child = await startChild(options);
      const hush = talking(fake, channels, talk);
      const [chance = 0] = random.bytes(1);
      const life = Math.floor((chance / 256) * LONGEST_LIFE);
      await until(async () => (await storedCount()) >= before + life);
      child.kill('SIGKILL');
      await once(child, 'exit');
      hush();
    }

    fake.gateway.forgetSessions();
    await startChild(options);
    await until(async () => (await storedCount()) >= count);
    const stored = await store.db
      .selectFrom('inbox_messages')
      .select(['channel_id', 'text'])
      .orderBy('received_us')
      .execute();
    for (const channel of channels) {
      const own = stored.filter(({ channel_id }) => channel_id.endsWith(`:${channel.id}`));
      expect(own.map(({ text }) => text)).toEqual(channel.messages.map(({ content }) => content));
    }
    expect(stored).toHaveLength(count);
  }, 240_000);
});
