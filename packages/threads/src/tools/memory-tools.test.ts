import { idGenerator } from '@postern/kit';
import { seededRandom } from '@postern/kit/testing';
import { describe, expect, test } from 'vitest';
import { channelMemory } from '../memory/channel-memory.ts';
import { type MemorySource, MOST_ENTRIES } from '../memory/entry.ts';
import { sessionMemory } from '../memory/session-memory.ts';
import { fakePlatform, OWNER } from '../testing/fake-platform.ts';
import { type ToolBench, toolBench } from '../testing/tool-bench.ts';
import type { ToolContext } from './tool.ts';

const reason = (text: string) => ({ ok: false, reason: expect.stringContaining(text) });

async function bench(platform = fakePlatform()) {
  const at: ToolBench = await toolBench({ platform });
  const { store, clock, audit } = at;
  const memory = channelMemory({
    store,
    clock,
    newId: idGenerator({ clock, random: seededRandom(7) }),
    audit,
  });
  const place = { platformId: platform.id, channelId: platform.channelId };
  const ofSession = (sessionId: string) => sessionMemory(memory, { ...place, sessionId, owner: OWNER });
  const context: Partial<ToolContext> = {
    memory: ofSession('ses_1'),
    features: new Set(['memory', 'memory_write']),
  };
  return {
    ...at,
    ofSession,
    said: () => platform.posts.map(({ text }) => text),
    write: (text: string, source: MemorySource = 'user') =>
      memory.write(place, { text, source, author: OWNER, sessionId: null }),
    texts: async () => (await memory.list(place)).map(({ source, text }) => `${source} ${text}`),
    remember: (text: unknown, changes: Partial<ToolContext> = {}) =>
      at.run('remember_fact', { text }, { ...context, ...changes }),
    list: (changes: Partial<ToolContext> = {}) => at.run('list_memory', {}, { ...context, ...changes }),
  };
}

describe('remember_fact', () => {
  test('saves a fact as the agent’s, tells the thread, and is on record', async () => {
    const { remember, texts, said, platform, audit } = await bench();
    expect(await remember(' Tests run\nwith `make`. ')).toEqual({
      ok: true,
      saved: true,
      index: 1,
      saves_left: 4,
    });
    expect(await texts()).toEqual(['agent Tests run with `make`.']);
    expect(said()).toEqual([
      '🧠 Claude saved a channel memory: ``Tests run with `make`.``\nRemove it with `!memory forget 1`.',
    ]);
    expect(platform.posts[0]).toMatchObject({ threadId: 'p1' });
    expect(audit.of('memory')).toMatchObject([
      { actor: 'agent', sessionId: 'ses_1', details: { act: 'saved', source: 'agent' } },
    ]);
  });

  test('asks nobody, and tells the channel where the channel is the session', async () => {
    const { remember, platform, context } = await bench();
    const session = { ...context.session, threadId: null };
    expect(await remember('A fact.', { session })).toMatchObject({ saved: true });
    expect(platform.posts).toHaveLength(1);
    expect(platform.reactionsOn.size).toBe(0);
  });

  test('saves five facts in a session; what is known already is not told and costs nothing', async () => {
    const { remember, said, ofSession } = await bench();
    for (let n = 1; n <= 5; n += 1) {
      expect(await remember(`fact ${n}`)).toMatchObject({ saved: true, saves_left: 5 - n });
      expect(await remember(`FACT  ${n}`)).toMatchObject({ ok: true, saved: false, index: n });
    }
    expect(await remember('fact 6')).toEqual(reason('5 saves'));
    expect(said()).toHaveLength(5);
    expect(await remember('fact 6', { memory: ofSession('ses_2') })).toMatchObject({ saved: true });
  });

  test.each([499, 500])('keeps a fact of %i characters of any script whole', async (length) => {
    const { remember, texts } = await bench();
    for (const character of ['a', '漢', '🚀', 'ع']) {
      expect(await remember(character.repeat(length))).toMatchObject({ saved: true });
      expect((await texts()).at(-1)).toBe(`agent ${character.repeat(length)}`);
    }
  });

  test('refuses a fact of 501 characters, one without any, and what is no text', async () => {
    const { remember, texts, said } = await bench();
    for (const character of ['a', '漢', '🚀']) {
      expect(await remember(character.repeat(501))).toEqual(reason('this has 501'));
    }
    expect(await remember(' \n\u200b')).toEqual(reason('nothing to remember'));
    expect(await remember(5)).toEqual(reason('text must be a text'));
    expect(await texts()).toEqual([]);
    expect(said()).toEqual([]);
  });

  test('never takes the place of what a person wrote', async () => {
    const { remember, write, texts } = await bench();
    await write('We deploy on Tuesdays.');
    expect(await remember('we deploy on tuesdays.')).toMatchObject({ saved: false, index: 1 });
    for (let n = 2; n <= MOST_ENTRIES; n += 1) await write(`fact ${n}`);
    expect(await remember('Another fact.')).toEqual(reason('what people wrote'));
    expect((await texts()).every((text) => text.startsWith('user '))).toBe(true);
  }, 30_000);

  test('is undone where the thread cannot be told, and costs nothing', async () => {
    const { remember, platform, texts } = await bench();
    platform.failNext('post', 'unavailable');
    expect(await remember('A fact.')).toEqual(reason('could not be told'));
    expect(await texts()).toEqual([]);
    expect(await remember('A fact.')).toMatchObject({ saves_left: 4 });
  });

  test('stays where the thread may have been told', async () => {
    const { remember, platform, texts } = await bench();
    platform.failNext('post', 'unknown');
    expect(await remember('A fact.')).toMatchObject({ saved: true });
    expect(await texts()).toEqual(['agent A fact.']);
  });

  test('is not there in a session that runs unattended, nor where memory is off', async () => {
    const { remember, texts, context } = await bench();
    const features = new Set(['memory' as const]);
    expect(await remember('A fact.', { features })).toEqual(reason('no such tool'));
    const session = { ...context.session, isUnattended: true };
    expect(await remember('A fact.', { session })).toEqual(reason('unattended'));
    expect(await remember('A fact.', { memory: null })).toEqual(reason('off'));
    expect(await remember('A fact.', { features: new Set() })).toEqual(reason('no such tool'));
    expect(await texts()).toEqual([]);
  });
});

describe('list_memory', () => {
  test('lists number, date, source and text, the newest last, as untrusted notes', async () => {
    const { list, write, remember } = await bench();
    await write('By a person.');
    await remember('By an agent.');
    await write('Of a session.', 'distilled');
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(await list()).toEqual({
      ok: true,
      note: expect.stringContaining('untrusted'),
      total: 3,
      entries: [
        { index: 1, date, source: 'user', text: 'By a person.' },
        { index: 2, date, source: 'agent', text: 'By an agent.' },
        { index: 3, date, source: 'distilled', text: 'Of a session.' },
      ],
    });
  });

  test('of more than a hundred lists the newest, by the numbers that !memory forget takes', async () => {
    const { list, write } = await bench();
    for (let n = 1; n <= 103; n += 1) await write(`fact ${n}`);
    const { entries, total } = (await list()) as {
      entries: { index: number; text: string }[];
      total: number;
    };
    expect(total).toBe(103);
    expect(entries).toHaveLength(100);
    expect(entries[0]).toMatchObject({ index: 4, text: 'fact 4' });
    expect(entries.at(-1)).toMatchObject({ index: 103, text: 'fact 103' });
  });

  test('is there in a session that runs unattended, and not where memory is off', async () => {
    const { list, context } = await bench();
    const session = { ...context.session, isUnattended: true };
    expect(await list({ session })).toMatchObject({ ok: true, total: 0 });
    expect(await list({ features: new Set() })).toEqual(reason('no such tool'));
    expect(await list({ memory: null })).toEqual(reason('off'));
  });
});
