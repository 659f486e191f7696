import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@postern/http';
import { idGenerator, systemClock, systemRandom } from '@postern/kit';
import type { Engine } from '@postern/store';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { threadsConfigSchema, toThreadsConfig } from '../src/config.ts';
import { fakeAgent } from '../src/testing/fake-agent.ts';
import { BOT_NAME, CHANNEL, localBench } from '../src/testing/fakes/local/bench.ts';
import { memoryAudit } from '../src/testing/memory-audit.ts';
import { threadsStore } from '../src/testing/store.ts';
import { createThreads } from '../src/threads.ts';

const ADA = { id: 'ada', name: 'Ada' };
const SAM = { id: 'sam', name: 'Sam' };
const patience = { timeout: 10_000, interval: 10 };

/** The service on the embedded chat. */
async function service(engine: Engine, behaviour: object) {
  const { chat, inbox, connect } = await localBench(engine);
  const { store } = await threadsStore(engine);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'postern-local-')));
  await mkdir(join(folder, 'work'));
  const base = { id: 'local', type: 'local', channelId: CHANNEL, botName: BOT_NAME, sessionHeader: 'hidden' };
  const config = toThreadsConfig(
    threadsConfigSchema.parse({
      workingDir: join(folder, 'work'),
      limits: { flushDelayMs: 5 },
      platforms: [{ ...base, allowedUsers: [ADA.id], ...behaviour }],
    }),
    { base: folder, home: folder },
  );
  const platform = connect();
  const agent = fakeAgent();
  const threads = createThreads(
    {
      store,
      clock: systemClock,
      random: systemRandom,
      newId: idGenerator({ clock: systemClock, random: systemRandom }),
      log: silentLog,
      agent,
      audit: {
        ...memoryAudit(),
        page: async () => ({ lines: [], next: null }),
        health: () => ({ status: 'ok' }),
        close: async () => {},
      },
      dataDir: join(folder, 'data'),
      agentDir: join(folder, 'agents'),
      deniedPaths: [],
    },
    config,
    config.platforms.map((each) => ({ platform, behaviour: each })),
  );
  await threads.start();
  onTestFinished(async () => {
    await threads.stop();
    await chat.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await expect.poll(() => platform.health().status, patience).toBe('ok');
  const said = async (channelId: string) =>
    (await chat.messages({ channelId, limit: 100 })).filter(({ user }) => user.id === BOT_NAME);
  const hears = (channelId: string, text: string) =>
    expect.poll(async () => (await said(channelId)).map((message) => message.text), patience).toContain(text);
  return { chat, inbox, threads, said, hears };
}

describeEngines('on the local chat', (engine) => {
  test('direct messages are a session each, strangers are told once, and the inbox hears nothing', async () => {
    const { chat, inbox, threads, said, hears } = await service(engine, { directMessages: true });
    const cursor = await inbox.newestCursor();
    const adas = (await chat.openDirect(ADA)).id;
    const sams = (await chat.openDirect(SAM)).id;
    for (const text of ['hello', 'again']) await chat.post({ channelId: sams, user: SAM, text });
    const { id } = await chat.post({ channelId: adas, user: ADA, text: 'one' });
    await hears(adas, 'answer: one');
    await chat.post({ channelId: adas, user: ADA, text: 'two' });
    await hears(adas, 'answer: two');
    await expect.poll(async () => (await said(sams)).length, patience).toBe(1);
    const { data } = await threads.sessions({ limit: 10 });
    const permalink = expect.stringMatching(new RegExp(`/chat/${adas.replace('local:', '')}/${id}$`));
    expect(data).toMatchObject([{ kind: 'channel', channel_id: adas, owner: ADA, permalink }]);
    expect((await said(adas)).every(({ thread_id }) => thread_id === null)).toBe(true);
    expect(await inbox.eventsAfter(cursor, 10)).toEqual([]);
  });

  test('direct channel mode answers the whole channel at the top of it', async () => {
    const { chat, threads, said, hears } = await service(engine, { directChannelMode: 'all_messages' });
    await chat.post({ channelId: CHANNEL, user: ADA, text: 'one' });
    await hears(CHANNEL, 'answer: one');
    await chat.post({ channelId: CHANNEL, user: ADA, text: 'two' });
    await hears(CHANNEL, 'answer: two');
    expect((await said(CHANNEL)).every(({ thread_id }) => thread_id === null)).toBe(true);
    expect((await threads.sessions({ limit: 10 })).data).toHaveLength(1);
  });
});
