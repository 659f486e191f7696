import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { inboxBench, messageEvent } from '../testing/index.ts';
import { createSink } from './sink.ts';

const strangers = async () => undefined;

describeEngines('cursors of channels', (engine) => {
  test('those that got on move, and the others stay', async () => {
    const { sink } = await inboxBench(engine);
    await sink.accept([], '1', new Map(Object.entries({ 'local:a': '1', 'local:b': '1' })));
    await sink.accept([], '2', new Map([['local:b', '2']]));
    await sink.accept([], '3');
    expect(await sink.channelCursors()).toEqual(new Map(Object.entries({ 'local:a': '1', 'local:b': '2' })));
  });

  test('a known channel without one is among them', async () => {
    const { sink } = await inboxBench(engine);
    await sink.accept([messageEvent({ channel: { id: 'local:team', type: 'group' } })], '1');
    expect(await sink.channelCursors()).toEqual(new Map([['local:team', null]]));
  });

  test('each account has its own', async () => {
    const { sink, ports } = await inboxBench(engine);
    const other = createSink(ports, { source: 'local', account: 'other' }, strangers);
    await sink.accept([], '1', new Map([['local:a', '1']]));
    await other.accept([], '1', new Map([['local:a', '7']]));
    expect(await sink.channelCursors()).toEqual(new Map([['local:a', '1']]));
  });

  test('they do not move when the events with them cannot be stored', async () => {
    const { sink, ports } = await inboxBench(engine);
    await sink.accept([], '1', new Map([['local:a', '1']]));
    const failing = createSink(ports, { source: 'local', account: 'fake' }, () => {
      throw new Error('the disk is full');
    });
    await expect(failing.accept([messageEvent()], '2', new Map([['local:a', '2']]))).rejects.toThrow('full');
    expect(await sink.channelCursors()).toEqual(new Map([['local:a', '1']]));
  });

  test('thousands are stored at once', async () => {
    const { sink } = await inboxBench(engine);
    const many = new Map(Array.from({ length: 3_000 }, (_, index) => [`local:${index}`, `${index}`]));
    await sink.accept([], '1', many);
    expect(await sink.channelCursors()).toEqual(many);
  });
});
