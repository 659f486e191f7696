import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { inboxBench } from '../testing/index.ts';
import { createToken, findToken, listTokens, revokeToken } from './tokens.ts';

const request = {
  agentId: 'a1',
  scopes: ['send', 'read', 'send'],
  name: 'laptop',
  actor: 'bootstrap',
} as const;

describeEngines('agent tokens', (engine) => {
  test('the secret is shown once and only its hash is kept', async () => {
    const bench = await inboxBench(engine);
    const { token, ...shown } = await createToken(bench.ports, request);
    expect(token).toMatch(/^pst_agent_[A-Za-z0-9_-]{43}$/);
    expect(shown).toEqual({
      token_id: expect.stringMatching(/^tok_[0-9A-HJKMNP-TV-Z]{26}$/),
      name: 'laptop',
      agent_id: 'a1',
      scopes: ['read', 'send'],
      created_at: '2026-05-01T00:00:00.000000Z',
      last_used_at: null,
    });
    expect(await listTokens(bench.ports)).toEqual([shown]);
    for (const table of ['inbox_tokens', 'inbox_audit'] as const) {
      const rows = await bench.ports.store.db.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(token.slice('pst_agent_'.length));
    }
  });

  test('two tokens are never the same, and each finds its own agent', async () => {
    const bench = await inboxBench(engine);
    const one = await createToken(bench.ports, request);
    const two = await createToken(bench.ports, { ...request, agentId: 'a2', scopes: ['read'] });
    expect(one.token).not.toBe(two.token);
    expect(await findToken(bench.ports, one.token)).toMatchObject({
      agent_id: 'a1',
      scopes: ['read', 'send'],
    });
    expect(await findToken(bench.ports, two.token)).toMatchObject({ agent_id: 'a2', scopes: ['read'] });
    for (const wrong of ['', 'pst_agent_', `${one.token}x`, one.token.slice(0, -1), one.token_id])
      expect(await findToken(bench.ports, wrong)).toBeNull();
  });

  test('a revoked token is dead at once, in every process', async () => {
    const bench = await inboxBench(engine);
    const other = await bench.again(bench.clock);
    const { token, token_id } = await createToken(bench.ports, request);
    expect(await findToken(other.ports, token)).not.toBeNull();
    await revokeToken(bench.ports, token_id, 'cli');
    expect(await findToken(other.ports, token)).toBeNull();
    expect(await listTokens(bench.ports)).toEqual([]);
    await expect(revokeToken(bench.ports, token_id, 'cli')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const acts = await bench.ports.store.db
      .selectFrom('inbox_audit')
      .selectAll()
      .orderBy('audit_id')
      .execute();
    expect(acts.map(({ actor, action, target }) => [actor, action, target])).toEqual([
      ['bootstrap', 'token.create', token_id],
      ['cli', 'token.revoke', token_id],
    ]);
  });

  test('when it was last used is kept to the minute', async () => {
    const bench = await inboxBench(engine);
    const { token } = await createToken(bench.ports, request);
    const lastUsed = async () => (await listTokens(bench.ports))[0]?.last_used_at;
    await findToken(bench.ports, token);
    expect(await lastUsed()).toBe('2026-05-01T00:00:00.000000Z');
    await bench.clock.advance(60_000);
    await findToken(bench.ports, token);
    expect(await lastUsed()).toBe('2026-05-01T00:00:00.000000Z');
    await bench.clock.advance(1);
    await findToken(bench.ports, token);
    expect(await lastUsed()).toBe('2026-05-01T00:01:00.001000Z');
  });
});
