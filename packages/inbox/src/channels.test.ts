import { describeEngines } from '@postern/store/testing';
import { describe, expect, test } from 'vitest';
import { listChannels, putChannel, sourceOfChannelId } from './channels.ts';
import { inboxBench, messageEvent } from './testing/index.ts';

describe('the platform a channel id belongs to', () => {
  const table: [string, string | null][] = [
    ['discord:dm:123456789012345678', 'discord dm'],
    ['discord:channel:123456789012345678', 'discord group'],
    ['discord:dm:', null],
    ['discord:dm:abc', null],
    ['discord:other:1', null],
    ['local:team', 'local group'],
    ['local:dm-ana', 'local dm'],
    ['local:', null],
    ['+15551234567', 'imessage dm'],
    ['+1', null],
    ['+0155512345', null],
    ['15551234567', null],
    ['ana@example.com', 'imessage dm'],
    ['ana@@example.com', null],
    ['iMessage;+;chat123456', 'imessage group'],
    ['SMS;+;chat1', 'imessage group'],
    ['team', null],
    ['', null],
  ];
  test.each(table)('%j: %s', (channelId, expected) => {
    const home = sourceOfChannelId(channelId);
    expect(home && `${home.source} ${home.type}`).toBe(expected);
  });
});

const put = { allowMassMentions: undefined, actor: 'bootstrap' };

describeEngines('channels', (engine) => {
  test('putting one makes it known once, and again changes only what is named', async () => {
    const bench = await inboxBench(engine);
    const made = await putChannel(bench.ports, { ...put, channelId: 'discord:dm:1' });
    expect(made).toEqual({
      channel_id: 'discord:dm:1',
      source: 'discord',
      channel_type: 'dm',
      name: null,
      allow_mass_mentions: false,
      message_count: 0,
      last_message_at: null,
    });
    await putChannel(bench.ports, { ...put, channelId: 'discord:dm:1', allowMassMentions: true });
    expect(await putChannel(bench.ports, { ...put, channelId: 'discord:dm:1' })).toMatchObject({
      allow_mass_mentions: true,
    });
    expect(await listChannels(bench.ports, 10)).toHaveLength(1);
  });

  test('one that was seen keeps its name, type and figures; mass mentions stay with the next message', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    await bench.accept(messageEvent());
    await putChannel(bench.ports, { ...put, channelId: 'local:team', allowMassMentions: true });
    await bench.accept(messageEvent({ channel: { id: 'local:team', type: 'group', name: 'Team B' } }));
    await bench.accept(messageEvent({ channel: { id: 'local:team', type: 'group' } }));
    expect(await listChannels(bench.ports, 10)).toMatchObject([
      { channel_id: 'local:team', name: 'Team B', allow_mass_mentions: true, message_count: 3 },
    ]);
  });

  test('a direct conversation without a name is called by who wrote in it and was let in', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('7');
    await bench.allow('8', { displayName: 'Ben of the shop' });
    const said = (id: string, sender: string, name: string | null = null) =>
      messageEvent({
        channel: { id, type: 'dm', ...(name === null ? {} : { name }) },
        sender: { id: sender, displayName: `platform's ${sender}` },
      });
    await bench.accept(said('discord:dm:1', '7'), said('discord:dm:2', '8'), said('discord:dm:3', 'eve'));
    await bench.accept(said('local:dm-x', '7', 'X'));
    const names = (await listChannels(bench.ports, 10)).map(({ channel_id, name }) => [channel_id, name]);
    expect(Object.fromEntries(names)).toEqual({
      'discord:dm:1': "platform's 7",
      'discord:dm:2': 'Ben of the shop',
      'discord:dm:3': null,
      'local:dm-x': 'X',
    });
  });

  test('an id of no platform is refused, unless somebody has written there', async () => {
    const bench = await inboxBench(engine);
    await expect(putChannel(bench.ports, { ...put, channelId: 'nonsense' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ field: 'channel_id', code: 'invalid_format' }],
    });
    await bench.accept(messageEvent({ channel: { id: 'nonsense', type: 'group' } }));
    expect(await putChannel(bench.ports, { ...put, channelId: 'nonsense' })).toMatchObject({
      source: 'local',
    });
  });

  test('the one with the newest message comes first, those without any last', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    for (const channelId of ['local:silent-b', 'local:silent-a'])
      await putChannel(bench.ports, { ...put, channelId });
    for (const id of ['local:one', 'local:two', 'local:one'])
      await bench.accept(messageEvent({ channel: { id, type: 'group' } }));
    await bench.accept(
      messageEvent({
        channel: { id: 'local:strangers', type: 'group' },
        sender: { id: 'eve', displayName: 'E' },
      }),
    );
    expect((await listChannels(bench.ports, 10)).map(({ channel_id }) => channel_id)).toEqual([
      'local:one',
      'local:two',
      'local:silent-a',
      'local:silent-b',
      'local:strangers',
    ]);
    expect(await listChannels(bench.ports, 2)).toHaveLength(2);
  });

  test('two processes that make a channel known at once make one', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    await Promise.all(
      [bench, other, bench, other].map(({ ports }) => putChannel(ports, { ...put, channelId: 'local:x' })),
    );
    expect(await listChannels(bench.ports, 10)).toHaveLength(1);
    const acts = await bench.ports.store.db.selectFrom('inbox_audit').selectAll().execute();
    expect(acts.map(({ actor, action, target }) => [actor, action, target])).toEqual(
      Array(4).fill(['bootstrap', 'channel.put', 'local:x']),
    );
  });
});
