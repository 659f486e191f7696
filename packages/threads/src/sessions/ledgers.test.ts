import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { OWNER } from '../testing/fake-platform.ts';
import { sessionBench } from '../testing/session-bench.ts';
import { directMessageLedger, toolAllowances } from './ledgers.ts';

describeEngines('the direct messages of a session', (engine) => {
  async function withSession() {
    const bench = await sessionBench(engine);
    await bench.platform.say(OWNER, '@postern one');
    await bench.hears('answer: one');
    const [session] = await bench.sessions();
    return {
      ...bench,
      sessionId: session!.session_id,
      ledger: () => directMessageLedger(bench.store, session!.session_id),
    };
  }
  const taken = async (ledger: ReturnType<typeof directMessageLedger>, recipient = 'u') => {
    const slot = await ledger.take(recipient);
    if (typeof slot === 'string') throw new Error(slot);
    return slot;
  };

  test('are three to each recipient', async () => {
    const { ledger } = await withSession();
    for (let sent = 0; sent < 3; sent += 1) await (await taken(ledger())).done();
    expect(await ledger().take('u')).toBe('none_left');
    await (await taken(ledger(), 'other')).done();
  });

  test('are asked about one at a time for each recipient', async () => {
    const { ledger } = await withSession();
    const outcomes = await Promise.all([ledger().take('u'), ledger().take('u'), ledger().take('u')]);
    expect(outcomes.filter((outcome) => outcome === 'pending')).toHaveLength(2);
  });

  test('take no slot when they were denied or failed', async () => {
    const { ledger } = await withSession();
    for (let tries = 0; tries < 5; tries += 1) await (await taken(ledger())).giveBack();
    await (await taken(ledger())).done();
  });

  test('that were pending when the process ended give their slot back', async () => {
    const bench = await withSession();
    await taken(bench.ledger());
    expect(await bench.ledger().take('u')).toBe('pending');
    await bench.restart();
    await bench.hears('answer: one');
    await expect
      .poll(async () => typeof (await directMessageLedger(bench.store, bench.sessionId).take('u')))
      .toBe('object');
  });

  test('need no more asking for a recipient who got a ✅', async () => {
    const { ledger } = await withSession();
    expect(await ledger().isAllowed('u')).toBe(false);
    await ledger().allow('u');
    expect(await ledger().isAllowed('u')).toBe(true);
    expect(await ledger().isAllowed('other')).toBe(false);
  });
});

describeEngines('a tool that got a ✅', (engine) => {
  test('is allowed in its session alone, and no other tool with it', async () => {
    const { platform, hears, sessions, store } = await sessionBench(engine);
    await platform.say(OWNER, '@postern one');
    await platform.say(OWNER, '@postern two');
    await hears('answer: one');
    await hears('answer: two');
    const [first, second] = await sessions();
    const of = (sessionId: string) =>
      toolAllowances({ store, clock: { nowMicroseconds: () => 1, sleep: async () => {} } }, sessionId);
    await of(first!.session_id).allow('Bash', OWNER);
    await of(first!.session_id).allow('Bash', OWNER);
    expect(await of(first!.session_id).has('Bash')).toBe(true);
    expect(await of(first!.session_id).has('Write')).toBe(false);
    expect(await of(second!.session_id).has('Bash')).toBe(false);
  });
});
