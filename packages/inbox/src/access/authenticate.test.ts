import { Failure } from '@postern/kit';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InboxRights, InboxScope } from '../context.ts';
import { type InboxBench, inboxBench } from '../testing/index.ts';
import { authorize, type InboxCredentials, identify } from './authenticate.ts';
import { createToken, revokeToken } from './tokens.ts';

const BEARER = 'bearer-0123456789-0123456789';
const ADMIN = 'admin-key-0123456789-0123456789';

const credentials: InboxCredentials = {
  bearer: BEARER,
  adminOf: async (secret) => (secret === ADMIN ? 'key_1' : null),
};

const rights = {
  read: { scope: 'read', agent: 'required' },
  send: { scope: 'send', agent: 'optional' },
  admin: { scope: 'admin', agent: 'optional' },
  any: { scope: 'any', agent: 'optional' },
  attachment: { scope: 'attachment', agent: 'optional' },
} as const satisfies Record<string, InboxRights>;

type Right = keyof typeof rights;
const allRights = Object.keys(rights) as Right[];

interface Given {
  authorization?: string | undefined;
  operator?: string | null;
  signed?: boolean;
}

let bench: InboxBench;
const tokens = { read: '', send: '', both: '' };

beforeEach(async () => {
  bench = await inboxBench('sqlite');
  const make = async (scopes: InboxScope[]) =>
    (await createToken(bench.ports, { agentId: 'a1', scopes, name: 't', actor: 'test' })).token;
  tokens.read = await make(['read']);
  tokens.send = await make(['send']);
  tokens.both = await make(['read', 'send']);
});

/** The caller, or the code of the refusal. */
async function outcome(given: Given, right: Right, agentId?: string): Promise<unknown> {
  try {
    const identity = await identify(bench.ports, credentials, {
      authorization: given.authorization,
      operator: given.operator ?? null,
      signed: given.signed ?? false,
    });
    return authorize(identity, rights[right], agentId);
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

const bearer = (secret: string): Given => ({ authorization: `Bearer ${secret}` });

const ok = {
  kind: expect.any(String),
  credential: expect.any(String),
  agentId: expect.toSatisfy(() => true),
};

describe('who may do what', () => {
  const table: [string, () => Given, Record<Right, 'ok' | string>][] = [
    ['nobody', () => ({}), all('UNAUTHORIZED')],
    ['a wrong bearer', () => bearer('wrong-0123456789-0123456789'), all('UNAUTHORIZED')],
    ['another scheme', () => ({ authorization: `Basic ${BEARER}` }), all('UNAUTHORIZED')],
    ['an empty bearer', () => ({ authorization: 'Bearer ' }), all('UNAUTHORIZED')],
    ['an empty header', () => ({ authorization: '' }), all('UNAUTHORIZED')],
    ['the bearer', () => bearer(BEARER), { ...all('ok'), admin: 'FORBIDDEN' }],
    ['a read token', () => bearer(tokens.read), { ...all('ok'), send: 'FORBIDDEN', admin: 'FORBIDDEN' }],
    ['a send token', () => bearer(tokens.send), { ...all('FORBIDDEN'), send: 'ok', any: 'ok' }],
    ['a token of both', () => bearer(tokens.both), { ...all('ok'), admin: 'FORBIDDEN' }],
    ['an admin key', () => bearer(ADMIN), { ...all('ok'), read: 'FORBIDDEN', send: 'FORBIDDEN' }],
    [
      'a console login',
      () => ({ operator: 'console' }),
      { ...all('ok'), read: 'FORBIDDEN', send: 'FORBIDDEN' },
    ],
    ['a signed address', () => ({ signed: true }), { ...all('UNAUTHORIZED'), attachment: 'ok' }],
    [
      'a wrong bearer beside a console login',
      () => ({ ...bearer('wrong-0123456789-0123456789'), operator: 'console' }),
      all('UNAUTHORIZED'),
    ],
    [
      'a wrong bearer beside a signature',
      () => ({ ...bearer('wrong-0123456789-0123456789'), signed: true }),
      all('UNAUTHORIZED'),
    ],
    [
      'the bearer beside a console login',
      () => ({ ...bearer(BEARER), operator: 'console' }),
      { ...all('ok'), admin: 'FORBIDDEN' },
    ],
  ];

  function all(result: string): Record<Right, string> {
    return Object.fromEntries(allRights.map((right) => [right, result])) as Record<Right, string>;
  }

  test.each(table)('%s', async (_name, given, expected) => {
    const found = Object.fromEntries(
      await Promise.all(allRights.map(async (right) => [right, await outcome(given(), right, 'a1')])),
    );
    for (const right of allRights)
      expect({ [right]: found[right] }).toEqual({ [right]: expected[right] === 'ok' ? ok : expected[right] });
  });

  test('a revoked token is nobody’s', async () => {
    const made = await createToken(bench.ports, {
      agentId: 'a1',
      scopes: ['read'],
      name: 't',
      actor: 'test',
    });
    await revokeToken(bench.ports, made.token_id, 'test');
    expect(await outcome(bearer(made.token), 'read', 'a1')).toBe('UNAUTHORIZED');
  });
});

describe('as which agent', () => {
  test('the bearer acts as whichever agent is named, a token as its own', async () => {
    expect(await outcome(bearer(BEARER), 'read', 'any.Agent_1-x')).toMatchObject({
      agentId: 'any.Agent_1-x',
    });
    expect(await outcome(bearer(tokens.both), 'read')).toMatchObject({ kind: 'token', agentId: 'a1' });
    expect(await outcome(bearer(tokens.both), 'send', 'a1')).toMatchObject({ agentId: 'a1' });
    for (const right of ['read', 'send', 'any', 'attachment'] as const)
      expect(await outcome(bearer(tokens.both), right, 'a2')).toBe('FORBIDDEN');
  });

  test('where it is needed and missing, it is asked for; elsewhere nobody is fine', async () => {
    expect(await outcome(bearer(BEARER), 'read')).toBe('AGENT_ID_REQUIRED');
    for (const right of ['send', 'any', 'attachment'] as const)
      expect(await outcome(bearer(BEARER), right)).toMatchObject({ kind: 'bearer', agentId: null });
  });

  const malformed = ['', ' ', 'a b', 'a/b', 'ä', 'x'.repeat(65), 'a, b', 'a\u0000', 'a\n', '..%2f'];
  test.each(malformed)('%j is refused as malformed wherever it comes', async (agentId) => {
    for (const right of ['read', 'send', 'any', 'attachment'] as const)
      expect(await outcome(bearer(BEARER), right, agentId)).toBe('VALIDATION_FAILED');
    expect(await outcome(bearer(ADMIN), 'admin', agentId)).toBe('VALIDATION_FAILED');
    expect(await outcome({ operator: 'console' }, 'any', agentId)).toBe('VALIDATION_FAILED');
  });

  test('the limits of an agent id are taken', async () => {
    for (const agentId of ['a', 'x'.repeat(64), '...', '-', '_'])
      expect(await outcome(bearer(BEARER), 'read', agentId)).toMatchObject({ agentId });
  });

  test('an admin is no agent, whatever the header says', async () => {
    expect(await outcome(bearer(ADMIN), 'admin', 'a1')).toMatchObject({ kind: 'admin', agentId: null });
  });

  test('the audit names the credential, and never the secret', async () => {
    expect(await outcome(bearer(ADMIN), 'admin')).toMatchObject({ credential: 'key_1' });
    expect(await outcome({ operator: 'console' }, 'admin')).toMatchObject({ credential: 'console' });
    expect(await outcome(bearer(BEARER), 'any')).toMatchObject({ credential: 'bearer' });
    expect(await outcome(bearer(tokens.read), 'any')).toMatchObject({
      credential: expect.stringMatching(/^tok_/),
    });
  });

  test('refusals for want of a credential carry a challenge', async () => {
    for (const authorization of [undefined, 'Bearer nope'])
      await expect(
        identify(bench.ports, credentials, { authorization, operator: null, signed: false }),
      ).rejects.toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer realm="postern"' } });
  });
});
