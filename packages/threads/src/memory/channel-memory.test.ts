import { idGenerator } from '@postern/kit';
import { fakeClock, seededRandom } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { folded } from '../folded.ts';
import { memoryAudit } from '../testing/memory-audit.ts';
import { threadsStore } from '../testing/store.ts';
import { type ChannelMemory, channelMemory, type NewFact } from './channel-memory.ts';
import { MOST_ENTRIES } from './entry.ts';

const place = { platformId: 'main', channelId: 'C1' };
const anna = { id: 'U1', name: 'anna' };
const ops = { id: 'console:ops', name: 'ops' };

const byUser = (text: string): NewFact => ({ text, source: 'user', author: anna, sessionId: null });
const byAgent = (text: string, sessionId = 'ses_1'): NewFact => ({
  ...byUser(text),
  source: 'agent',
  sessionId,
});
const distilled = (text: string, replaces: string | null = null): NewFact => ({
  ...byUser(text),
  source: 'distilled',
  sessionId: 'ses_1',
  replaces,
});

describeEngines('the memory of a channel', (engine) => {
  async function bench() {
    const fresh = await threadsStore(engine);
    const { store } = fresh;
    const clock = fakeClock();
    const audit = memoryAudit();
    const newId = idGenerator({ clock, random: seededRandom(1) });
    const memory = channelMemory({ store, clock, newId, audit });
    const texts = async () =>
      (await memory.list(place)).map(({ index, source, text }) => `${index} ${source} ${text}`);
    /** The channel with so many entries of a person, then so many of agents. */
    async function fill(people: number, agents: number) {
      for (let n = 1; n <= people; n += 1) await memory.write(place, byUser(`user ${n}`));
      for (let n = 1; n <= agents; n += 1) await memory.write(place, distilled(`agent ${n}`));
    }
    return { ...fresh, store, clock, audit, memory, texts, fill };
  }

  async function savedId(memory: ChannelMemory, fact: NewFact): Promise<string> {
    const outcome = await memory.write(place, fact);
    if (outcome.kind !== 'saved') throw new Error(outcome.kind);
    return outcome.entry.id;
  }

  test('entries keep who wrote them, when and in which order, a channel apart from another', async () => {
    const { memory, clock, audit } = await bench();
    await memory.write(place, byUser('We deploy on Tuesdays.'));
    await clock.advance(1_000);
    await memory.write(place, byAgent('The API lives in services/api.'));
    await memory.write({ ...place, channelId: 'C2' }, byUser('Elsewhere.'));
    expect(await memory.list(place)).toMatchObject([
      { index: 1, source: 'user', author: anna, sessionId: null, text: 'We deploy on Tuesdays.' },
      { index: 2, source: 'agent', author: anna, sessionId: 'ses_1', text: 'The API lives in services/api.' },
    ]);
    const [first, second] = await memory.list(place);
    expect((second?.createdMs ?? 0) - (first?.createdMs ?? 0)).toBe(1_000);
    expect(audit.of('memory')).toMatchObject([
      { actor: 'U1', actorName: 'anna', details: { act: 'saved', source: 'user' } },
      { actor: 'agent', sessionId: 'ses_1', details: { act: 'saved', source: 'agent', author: 'U1' } },
      { channelId: 'C2' },
    ]);
  });

  test('what is known in other case and spacing is not kept twice', async () => {
    const { memory, texts } = await bench();
    await memory.write(place, byUser('We deploy on Tuesdays.'));
    for (const fact of [byUser, byAgent, distilled]) {
      expect(await memory.write(place, fact(' we  DEPLOY on\ntuesdays. '))).toMatchObject({
        kind: 'known',
        entry: { index: 1, source: 'user' },
      });
    }
    expect(await texts()).toEqual(['1 user We deploy on Tuesdays.']);
  });

  test('what an agent wrote and a person says anew is the person’s, and not the other way round', async () => {
    const { memory, texts } = await bench();
    await memory.write(place, byAgent('Tests run with make.'));
    await memory.write(place, byUser('tests run with make.'));
    await memory.write(place, byAgent('Tests run with make.'));
    expect(await texts()).toEqual(['1 user tests run with make.']);
  });

  test('an agent’s fact takes the place of another agent’s, never of a person’s', async () => {
    const { memory, texts } = await bench();
    const users = await savedId(memory, byUser('Releases are on Friday.'));
    const agents = await savedId(memory, byAgent('CI is slow.'));
    await memory.write(place, distilled('Releases are on Monday.', users));
    await memory.write(place, distilled('CI is fast now.', agents));
    expect(await texts()).toEqual([
      '1 user Releases are on Friday.',
      '2 distilled Releases are on Monday.',
      '3 distilled CI is fast now.',
    ]);
  });

  test('an agent saves five facts in a session; what is known already costs nothing, another session counts anew', async () => {
    const { memory } = await bench();
    for (let n = 1; n <= 5; n += 1) {
      expect(await memory.write(place, byAgent(`fact ${n}`))).toMatchObject({
        kind: 'saved',
        savesLeft: 5 - n,
      });
      expect(await memory.write(place, byAgent(`FACT ${n}`))).toMatchObject({ kind: 'known' });
    }
    expect(await memory.write(place, byAgent('fact 6'))).toEqual({ kind: 'no_saves_left' });
    expect(await memory.write(place, byAgent('x'.repeat(501)))).toEqual({ kind: 'too_long', length: 501 });
    expect(await memory.write(place, byAgent('fact 6', 'ses_2'))).toMatchObject({ kind: 'saved' });
    expect(await memory.write(place, byUser('of a person'))).toMatchObject({ savesLeft: null });
  });

  test('a save that is forgotten was a save all the same', async () => {
    const { memory } = await bench();
    for (let n = 1; n <= 5; n += 1) {
      await memory.forget(await savedId(memory, byAgent(`fact ${n}`)), anna);
    }
    expect(await memory.write(place, byAgent('fact 6'))).toEqual({ kind: 'no_saves_left' });
  });

  test('a save that is taken back costs nothing, and what it had displaced is back in its place', async () => {
    const { memory, texts } = await bench();
    await memory.write(place, byUser('one'));
    const old = await savedId(memory, distilled('two'));
    await memory.write(place, byUser('three'));
    const outcome = await memory.write(place, { ...byAgent('two, better'), replaces: old });
    if (outcome.kind !== 'saved') throw new Error(outcome.kind);
    await memory.takeBack(outcome, { id: 'agent', name: 'agent' });
    expect(await texts()).toEqual(['1 user one', '2 distilled two', '3 user three']);
    expect(await memory.write(place, byAgent('four'))).toMatchObject({ savesLeft: 4 });
  });

  test('a save that is taken back leaves what a person has made of it meanwhile', async () => {
    const { memory, texts } = await bench();
    const edited = await memory.write(place, byAgent('one'));
    const forgotten = await memory.write(place, byAgent('two'));
    if (edited.kind !== 'saved' || forgotten.kind !== 'saved') throw new Error('both are saved');
    await memory.edit(edited.entry.id, 'one, as I have it', ops);
    await memory.forget(forgotten.entry.id, ops);
    for (const saved of [edited, forgotten]) await memory.takeBack(saved, { id: 'agent', name: 'agent' });
    expect(await texts()).toEqual(['1 user one, as I have it']);
    expect(await memory.write(place, byAgent('three'))).toMatchObject({ savesLeft: 4 });
  });

  test('a full memory has no room for what a save that is taken back displaced, once another has it', async () => {
    const { memory, fill } = await bench();
    await fill(0, MOST_ENTRIES);
    const saved = await memory.write(place, byAgent('by an agent'));
    if (saved.kind !== 'saved') throw new Error(saved.kind);
    await memory.forget(saved.entry.id, ops);
    await memory.write(place, byUser('by a person'));
    await memory.takeBack(saved, { id: 'agent', name: 'agent' });
    expect(await memory.list(place)).toHaveLength(MOST_ENTRIES);
  }, 60_000);

  test('a full memory lets go of the oldest that no person wrote, and says which', async () => {
    const { memory, fill, audit } = await bench();
    await fill(MOST_ENTRIES - 2, 2);
    const first = await memory.write(place, byAgent('by an agent'));
    expect(first).toMatchObject({ entry: { index: MOST_ENTRIES }, displaced: [{ text: 'agent 1' }] });
    await memory.write(place, byUser('by a person'));
    expect(await memory.write(place, byUser('by another'))).toMatchObject({
      displaced: [{ text: 'by an agent' }],
    });
    expect(audit.of('memory').filter(({ details }) => details?.act === 'displaced')).toMatchObject([
      { actor: 'agent', details: { text: 'agent 1' } },
      { actor: 'U1', details: { text: 'agent 2' } },
      { actor: 'U1', details: { text: 'by an agent' } },
    ]);
    expect(await memory.list(place)).toHaveLength(MOST_ENTRIES);
  }, 60_000);

  test('where all is written by people, an agent gets no room, and a person the oldest’s', async () => {
    const { memory, fill } = await bench();
    await fill(MOST_ENTRIES, 0);
    expect(await memory.write(place, byAgent('by an agent'))).toEqual({ kind: 'full' });
    expect(await memory.write(place, distilled('distilled'))).toEqual({ kind: 'full' });
    expect(await memory.write(place, byUser('by a person'))).toMatchObject({
      displaced: [{ text: 'user 1' }],
    });
  }, 60_000);

  test('an entry put into other words is its editor’s, and the record has what it was', async () => {
    const { memory, audit } = await bench();
    const id = await savedId(memory, byAgent('CI is slow.'));
    expect(await memory.edit(id, ' CI  is fast. ', ops)).toMatchObject({
      kind: 'edited',
      entry: { index: 1, source: 'user', author: ops, text: 'CI is fast.' },
    });
    expect((await memory.list(place))[0]?.editedMs).not.toBeNull();
    expect(audit.of('memory').at(-1)).toMatchObject({
      actor: 'console:ops',
      details: { act: 'edited', before: { source: 'agent', author: 'U1', text: 'CI is slow.' } },
    });
    expect(await memory.edit(id, 'x'.repeat(501), ops)).toEqual({ kind: 'too_long', length: 501 });
    const other = await savedId(memory, byUser('Something else'));
    expect(await memory.edit(other, 'ci is FAST.', ops)).toMatchObject({
      kind: 'known',
      entry: { index: 1 },
    });
    await memory.forget(id, ops);
    expect(await memory.edit(id, 'gone', ops)).toEqual({ kind: 'gone' });
  });

  test('all is forgotten only by whoever has seen how much it is', async () => {
    const { memory, fill, audit } = await bench();
    await fill(2, 1);
    expect(await memory.forgetAll(place, 2, anna)).toEqual({ done: false, count: 3 });
    expect(await memory.forgetAll(place, 3, anna)).toEqual({ done: true, count: 3 });
    expect(await memory.list(place)).toEqual([]);
    expect(audit.of('memory').at(-1)).toMatchObject({ actor: 'U1', details: { act: 'cleared', entries: 3 } });
  });

  if (engine === 'postgres') {
    test('two processes that write at once keep the limits: each fact once, five saves, one entry too many for none', async () => {
      const { memory, again, fill, clock, audit } = await bench();
      await fill(3, 0);
      const store = await again();
      const newId = idGenerator({ clock, random: seededRandom(2) });
      const other = channelMemory({ store, clock, newId, audit });
      const outcomes = await Promise.all(
        Array.from({ length: 24 }, (_, n) => {
          const text = `fact ${n % 12}`;
          return (n % 2 === 0 ? memory : other).write(place, byAgent(n < 12 ? text : text.toUpperCase()));
        }),
      );
      expect(outcomes.filter(({ kind }) => kind === 'saved')).toHaveLength(5);
      const entries = await memory.list(place);
      expect(entries.filter(({ source }) => source === 'agent')).toHaveLength(5);
      expect(new Set(entries.map(({ text }) => folded(text))).size).toBe(8);
      expect(new Set(entries.map(({ position }) => position)).size).toBe(8);
      const ids = entries.map(({ id }) => id);
      const gone = await Promise.all(ids.flatMap((id) => [memory.forget(id, anna), other.forget(id, anna)]));
      expect(gone.filter((entry) => entry !== null)).toHaveLength(8);
    });
  }
});
