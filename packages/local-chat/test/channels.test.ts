import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { ADA, BEN, harness } from './harness.ts';

describeEngines('channels', (engine) => {
  test('a new channel is answered with 201 and its members in order', async () => {
    const { call } = await harness(engine);
    const made = await call('POST', '/channels', { name: 'general', type: 'group', members: [BEN, ADA] });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: 'local:general',
      name: 'general',
      type: 'group',
      members: [BEN, ADA],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const listed = await call('GET', '/channels');
    expect(listed.status).toBe(200);
    expect(listed.body).toEqual({ data: [made.body] });
  });

  test('a name that exists answers that channel with 200 and adds the members', async () => {
    const { call } = await harness(engine);
    const made = await call('POST', '/channels', { name: 'general', type: 'group', members: [ADA] });
    const again = await call('POST', '/channels', { name: 'general', type: 'dm', members: [ADA, BEN] });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ ...made.body, members: [ADA, BEN] });
  });

  test('a member who comes with another name is renamed', async () => {
    const { call } = await harness(engine);
    await call('POST', '/channels', { name: 'general', type: 'group', members: [ADA, BEN] });
    const renamed = { id: ADA.id, name: 'Countess' };
    const again = await call('POST', '/channels', { name: 'general', type: 'group', members: [renamed] });
    expect(again.body.members).toEqual([renamed, BEN]);
  });

  test('two who make the same channel at once get the same one', async () => {
    const { call } = await harness(engine);
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call('POST', '/channels', {
          name: 'general',
          type: 'group',
          members: [{ id: `user-${index}`, name: 'x' }],
        }),
      ),
    );
    expect(made.map((answered) => answered.status).sort()).toEqual([...Array(7).fill(200), 201]);
    const { body } = await call('GET', '/channels');
    expect(body.data).toHaveLength(1);
    expect(body.data[0].members).toHaveLength(8);
  });

  test.each([
    ['no name', { type: 'group' }, 'name', 'required'],
    ['a name with a slash', { name: 'a/b', type: 'group' }, 'name', 'invalid_format'],
    ['an empty name', { name: '', type: 'group' }, 'name', 'invalid_format'],
    ['dots alone', { name: '..', type: 'group' }, 'name', 'invalid_format'],
    ['a long name', { name: 'a'.repeat(81), type: 'group' }, 'name', 'invalid_format'],
    ['another type', { name: 'a', type: 'public' }, 'type', 'not_allowed'],
    ['a group among direct messages', { name: 'dm-ada', type: 'group' }, 'type', 'not_allowed'],
    ['an unknown field', { name: 'a', type: 'group', topic: 'x' }, 'topic', 'unknown_field'],
    [
      'a member without name',
      { name: 'a', type: 'dm', members: [{ id: 'a' }] },
      'members.0.name',
      'required',
    ],
    [
      'a member with a blank in the id',
      { name: 'a', type: 'dm', members: [{ id: 'a b', name: 'A' }] },
      'members.0.id',
      'invalid_format',
    ],
    [
      'too many members',
      { name: 'a', type: 'dm', members: Array.from({ length: 101 }, (_, i) => ({ id: `u${i}`, name: 'u' })) },
      'members',
      'too_many',
    ],
  ])('refuses %s and makes nothing', async (_what, body, field, code) => {
    const { call } = await harness(engine);
    const refused = await call('POST', '/channels', body);
    expect(refused.status).toBe(422);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.body).toMatchObject({ code: 'validation_failed', status: 422 });
    expect(refused.body.errors).toContainEqual(expect.objectContaining({ field, code }));
    expect((await call('GET', '/channels')).body).toEqual({ data: [] });
  });

  test('channels and members have their bounds', async () => {
    const { call } = await harness(engine, { limits: { channels: 2, membersPerChannel: 2 } });
    await call('POST', '/channels', { name: 'a', type: 'group', members: [ADA, BEN] });
    await call('POST', '/channels', { name: 'b', type: 'group' });
    const third = await call('POST', '/channels', { name: 'c', type: 'group' });
    expect(third.body).toMatchObject({ status: 422, code: 'precondition_failed' });
    const full = await call('POST', '/messages', {
      channel_id: 'local:a',
      user: { id: 'cy', name: 'Cy' },
      text: 'hi',
    });
    expect(full.body).toMatchObject({ status: 422, code: 'precondition_failed' });
    const known = await call('POST', '/messages', { channel_id: 'local:a', user: ADA, text: 'hi' });
    expect(known.status).toBe(201);
  });

  test('nobody gets in without the key', async () => {
    const { call } = await harness(engine);
    for (const [method, path] of [
      ['GET', '/channels'],
      ['POST', '/messages'],
      ['GET', '/events'],
      ['GET', '/attachments/file_x'],
    ] as const) {
      const refused = await call(method, path, undefined, { authorization: 'Bearer wrong' });
      expect(refused.body).toMatchObject({ status: 401, code: 'unauthorized' });
    }
  });

  test('direct messages with a person are a dm of their own', async () => {
    const { chat, call } = await harness(engine);
    const opened = await chat.openDirect(ADA, { id: 'bot', name: 'Bot' });
    expect(opened).toMatchObject({ id: 'local:dm-ada', type: 'dm', members: [ADA, { id: 'bot' }] });
    const again = await chat.openDirect(ADA);
    expect(again).toEqual(opened);
    const sent = await call('POST', '/messages', { channel_id: 'local:dm-ada', user: ADA, text: 'psst' });
    expect(sent.status).toBe(201);
  });
});
