import { expect, test } from 'vitest';
import { type ContractTools, numbered, sayAll, startWell } from './tools.ts';

/** What a process that ends, and a line that breaks, must not lose or double. */
export function restartContract({ traits, prepare, start, testFault }: ContractTools): void {
  test(`the first start of all ${traits.history ? 'takes in' : 'leaves alone'} what was written before`, async () => {
    const { harness, home } = await prepare();
    await sayAll(harness, ['long ago']);
    const process = await startWell(home);
    await sayAll(harness, ['now']);
    await process.until((messages) => messages.some(({ text }) => text === 'now'));
    expect(await process.texts()).toEqual(traits.history ? ['long ago', 'now'] : ['now']);
  });

  test('what was written while the process was down arrives once, in order', async () => {
    const { harness, home, process } = await start();
    await sayAll(harness, ['before']);
    await process.until((messages) => messages.length === 1);
    await process.stop();
    const missed = numbered(traits.missed, 'missed');
    await sayAll(harness, missed);
    const next = await startWell(home);
    await sayAll(harness, ['after']);
    await next.until((messages) => messages.length >= missed.length + 2);
    expect(await next.texts()).toEqual(['before', ...missed, 'after']);
  });

  test('a direct message that was written while the process was down arrives', async () => {
    const { harness, home, process } = await start();
    await harness.say(harness.ana, 'before', { channelId: harness.direct });
    await process.until((messages) => messages.length === 1);
    await process.stop();
    await harness.say(harness.ana, 'missed', { channelId: harness.direct });
    const next = await startWell(home);
    await next.until((messages) => messages.length >= 2);
    expect(await next.texts()).toEqual(['before', 'missed']);
  });

  test('a process that comes again hands over nothing twice, and its cursor stays', async () => {
    const { harness, home, process } = await start();
    await sayAll(harness, numbered(5));
    await process.until((messages) => messages.length === 5);
    await process.stop();
    const next = await startWell(home);
    await sayAll(harness, ['after']);
    await next.until((messages) => messages.length >= 6);
    expect(await next.texts()).toEqual([...numbered(5), 'after']);
    expect(await next.cursor()).not.toBeNull();
  });

  test('what a process died with before it was stored arrives when it is started again', async () => {
    const { harness, process } = await start();
    await sayAll(harness, ['stored']);
    await process.until((messages) => messages.length === 1);
    process.sinkOrders.push('die-before', 'die-before');
    await sayAll(harness, numbered(5, 'unlucky'));
    await process.until((messages) => messages.length >= 6);
    expect(await process.texts()).toEqual(['stored', ...numbered(5, 'unlucky')]);
  });

  test('what a process died with after it was stored is not there twice', async () => {
    const { harness, process } = await start();
    await sayAll(harness, ['stored']);
    await process.until((messages) => messages.length === 1);
    process.sinkOrders.push('die-after', 'die-after');
    await sayAll(harness, numbered(5, 'lucky'));
    await process.until((messages) => messages.some(({ text }) => text === 'lucky 5'));
    await process.untilHealth((status) => status === 'ok');
    await sayAll(harness, ['and on']);
    await process.until((messages) => messages.some(({ text }) => text === 'and on'));
    expect(await process.texts()).toEqual(['stored', ...numbered(5, 'lucky'), 'and on']);
  });

  test('what was written while the platform could not be reached arrives when it can', async () => {
    const { harness, process } = await start();
    await sayAll(harness, ['before']);
    await process.until((messages) => messages.length === 1);
    await harness.goOffline();
    await process.untilHealth((status) => status !== 'ok');
    await sayAll(harness, numbered(5, 'missed'));
    await harness.goOnline();
    await process.until((messages) => messages.length >= 6);
    await process.untilHealth((status) => status === 'ok');
    await sayAll(harness, ['after']);
    await process.until((messages) => messages.length >= 7);
    expect(await process.texts()).toEqual(['before', ...numbered(5, 'missed'), 'after']);
  });

  testFault('dropConnections', 'connections that break cost nothing', async () => {
    const { harness, process } = await start();
    await sayAll(harness, ['1']);
    await process.until((messages) => messages.length === 1);
    harness.faults.dropConnections?.();
    await sayAll(harness, ['2', '3']);
    await process.until((messages) => messages.length === 3);
    harness.faults.dropConnections?.();
    await sayAll(harness, ['4']);
    await process.until((messages) => messages.length === 4);
    expect(await process.texts()).toEqual(['1', '2', '3', '4']);
  });

  if (traits.edits) {
    test('a change is not undone by what is read again after a restart', async () => {
      const { harness, home, process } = await start();
      const id = await harness.say(harness.ana, 'at nine');
      await process.until((messages) => messages.length === 1);
      await harness.edit?.(id, 'at ten');
      await process.until(([message]) => message?.text === 'at ten');
      await process.stop();
      const next = await startWell(home);
      await sayAll(harness, ['and on']);
      await next.until((messages) => messages.length === 2);
      expect(await next.texts()).toEqual(['at ten', 'and on']);
    });
  }
}
