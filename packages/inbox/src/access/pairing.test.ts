import { seededRandom } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { describe, expect, test } from 'vitest';
import { type InboxBench, inboxBench, messageEvent } from '../testing/index.ts';
import { allowSender, listAllowlist } from './allowlist.ts';
import { approvePairing, listPairings, PAIRING_TOPIC, type PairingReply, pairingCode } from './pairing.ts';

const on = { config: { pairing: 'on' as const } };

const dm = (senderId: string, overrides = {}) =>
  messageEvent({
    sender: { id: senderId, displayName: `name of ${senderId}` },
    channel: { id: `local:dm-${senderId}`, type: 'dm' },
    ...overrides,
  });

async function replies(bench: InboxBench): Promise<PairingReply[]> {
  const rows = await bench.ports.store.db
    .selectFrom('outbox')
    .select('payload')
    .where('topic', '=', PAIRING_TOPIC)
    .orderBy('id')
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload));
}

describe('a pairing code', () => {
  test('is 8 characters that cannot be mixed up, each as likely as the others', () => {
    const random = seededRandom(3);
    const counts = new Map<string, number>();
    for (let round = 0; round < 3_000; round += 1) {
      const code = pairingCode(random);
      expect(code).toMatch(/^[2-9A-HJKMNP-TV-Z]{8}$/);
      for (const character of code) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(30);
    expect(Math.min(...counts.values())).toBeGreaterThan(600);
    expect(Math.max(...counts.values())).toBeLessThan(1_000);
  });
});

describeEngines('pairing', (engine) => {
  test('it is off unless turned on, and answers direct messages only', async () => {
    const off = await inboxBench(engine);
    await off.accept(dm('eve'));
    expect(await replies(off)).toEqual([]);
    const bench = await inboxBench(engine, on);
    await bench.accept(dm('eve', { channel: { id: 'local:team', type: 'group' } }));
    expect([await replies(bench), await listPairings(bench.ports)]).toEqual([[], []]);
  });

  test('a stranger gets a code where he wrote, once more with the same code, and then nothing', async () => {
    const bench = await inboxBench(engine, on);
    for (let round = 0; round < 5; round += 1) await bench.accept(dm('eve'), dm('eve'));
    const sent = await replies(bench);
    const [pairing] = await listPairings(bench.ports);
    expect(sent).toHaveLength(2);
    for (const reply of sent) {
      expect(reply).toMatchObject({ source: 'local', channelId: 'local:dm-eve' });
      expect(reply.text).toContain(pairing!.code);
    }
    expect(pairing).toEqual({
      code: expect.stringMatching(/^[2-9A-HJKMNP-TV-Z]{8}$/),
      source: 'local',
      sender_id: 'eve',
      display_name: 'name of eve',
      created_at: '2026-05-01T00:00:00.000000Z',
      expires_at: '2026-05-01T01:00:00.000000Z',
    });
  });

  test('at most three codes are pending, also when strangers write at once', async () => {
    const bench = await inboxBench(engine, on);
    const other = await bench.again(bench.clock);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? bench : other).sink.accept([dm(`stranger-${index}`)], String(index)),
      ),
    );
    expect([(await listPairings(bench.ports)).length, (await replies(bench)).length]).toEqual([3, 3]);
  });

  test('a code is good for an hour; then a new one makes room and replies begin anew', async () => {
    const bench = await inboxBench(engine, on);
    for (const name of ['a', 'b', 'c', 'd']) await bench.accept(dm(name));
    const [first] = await listPairings(bench.ports);
    await bench.clock.advance(3_599_999);
    expect(await listPairings(bench.ports)).toHaveLength(3);
    await bench.clock.advance(1);
    expect(await listPairings(bench.ports)).toEqual([]);
    await expect(approvePairing(bench.ports, first!.code, 'test')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
    });
    await bench.accept(dm('d'), dm('a'));
    const now = await listPairings(bench.ports);
    expect(now.map(({ sender_id }) => sender_id).sort()).toEqual(['a', 'd']);
    expect(now.some(({ code }) => code === first!.code)).toBe(false);
    expect(await replies(bench)).toHaveLength(5);
  });

  test('approval lets the sender in under the name shown, releases what waits, and spends the code', async () => {
    const bench = await inboxBench(engine, on);
    const [first, second] = [dm('eve'), dm('eve')];
    await bench.accept(first, second);
    const code = (await listPairings(bench.ports))[0]!.code;
    const { entry, released_count } = await approvePairing(bench.ports, code.toLowerCase(), 'cli');
    expect(entry).toMatchObject({ source: 'local', sender_id: 'eve', display_name: 'name of eve' });
    expect(released_count).toBe(2);
    expect((await bench.unread('a')).map((row) => row.text)).toEqual([first.text, second.text]);
    expect(await listPairings(bench.ports)).toEqual([]);
    await expect(approvePairing(bench.ports, code, 'cli')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bench.accept(dm('eve'));
    expect(await replies(bench)).toHaveLength(2);
  });

  test('a code approved many times at once is approved once', async () => {
    const bench = await inboxBench(engine, on);
    const other = await bench.again(bench.clock);
    await bench.accept(dm('eve'));
    const code = (await listPairings(bench.ports))[0]!.code;
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        approvePairing((index % 2 ? bench : other).ports, code, 'test'),
      ),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await listAllowlist(bench.ports)).toHaveLength(1);
  });

  test('an approval does not overwrite what the operator has set for the sender', async () => {
    const bench = await inboxBench(engine, on);
    await bench.accept(dm('eve'));
    const code = (await listPairings(bench.ports))[0]!.code;
    const sender = { source: 'local', senderId: 'eve', actor: 'test' };
    await allowSender(bench.ports, { ...sender, displayName: 'Aunt Eve', release: false });
    await expect(approvePairing(bench.ports, code, 'test')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await listAllowlist(bench.ports)).toMatchObject([{ display_name: 'Aunt Eve' }]);
  });

  test('a batch that fails promises nobody a code', async () => {
    const bench = await inboxBench(engine, on);
    const broken = dm('eve', { channel: { id: 'local:dm-eve', type: 'neither' as never } });
    // A payload that cannot be written makes the whole batch fail after the code was made.
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await expect(bench.accept(dm('eve'), { ...broken, raw: circular })).rejects.toThrow();
    expect([await replies(bench), await listPairings(bench.ports)]).toEqual([[], []]);
  });
});
