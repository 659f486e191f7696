import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { ADA, BEN, harness } from './harness.ts';

describeEngines('messages', (engine) => {
  test('a message is answered with 201 and every field', async () => {
    const { base, channel, post, call } = await harness(engine);
    const channelId = await channel('general');
    const message = await post({ channel_id: channelId, text: 'Grüße 👋🏽' });
    expect(message).toEqual({
      id: expect.stringMatching(/^post_[0-9A-HJKMNP-TV-Z]{26}$/),
      channel_id: 'local:general',
      thread_id: null,
      user: ADA,
      text: 'Grüße 👋🏽',
      reply_to: null,
      attachments: [],
      reactions: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      edited_at: null,
      deleted_at: null,
      permalink: `${base}/chat/general/${message.id}`,
    });
    const listed = await call('GET', `/messages?channel_id=${channelId}`);
    expect(listed.body).toEqual({ data: [message] });
  });

  test('who posts becomes a member, under the name of the last message', async () => {
    const { channel, post, call } = await harness(engine);
    const channelId = await channel('general');
    const first = await post({ channel_id: channelId, user: BEN });
    await post({ channel_id: channelId, user: { ...BEN, name: 'Benjamin' } });
    const { body } = await call('GET', '/channels');
    expect(body.data[0].members).toEqual([{ id: 'ben', name: 'Benjamin' }]);
    const { body: page } = await call('GET', `/messages?channel_id=${channelId}`);
    expect(page.data[0]).toEqual(first);
  });

  test('a thread is its root and the replies, whichever message of it is named', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const root = await post({ channel_id, text: 'root' });
    const reply = await post({ channel_id, thread_id: root.id, text: 'reply' });
    const other = await post({ channel_id, text: 'beside' });
    const nested = await post({ channel_id, thread_id: reply.id, reply_to: reply.id, text: 'nested' });
    const quoting = await post({ channel_id, reply_to: reply.id, text: 'by reply_to alone' });
    const quotingRoot = await post({ channel_id, reply_to: other.id, text: 'an answer, no thread' });
    expect(root.thread_id).toBeNull();
    expect([reply.thread_id, nested.thread_id, quoting.thread_id]).toEqual([root.id, root.id, root.id]);
    expect([nested.reply_to, quoting.reply_to]).toEqual([reply.id, reply.id]);
    expect(quotingRoot).toMatchObject({ thread_id: null, reply_to: other.id });
    for (const named of [root.id, nested.id]) {
      const { body } = await call('GET', `/messages?channel_id=${channel_id}&thread_id=${named}`);
      expect(body.data).toEqual([root, reply, nested, quoting]);
    }
    const { body } = await call('GET', `/messages?channel_id=${channel_id}`);
    expect(body.data).toEqual([root, reply, other, nested, quoting, quotingRoot]);
  });

  test('pages go on after a message, and without one give the newest, oldest first', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const all = [];
    for (let index = 0; index < 7; index += 1) all.push(await post({ channel_id, text: String(index) }));
    const page = async (query: string) =>
      (await call('GET', `/messages?channel_id=${channel_id}${query}`)).body.data;
    expect(await page('&limit=3')).toEqual(all.slice(-3));
    expect(await page(`&after=${all[1]!.id}&limit=3`)).toEqual(all.slice(2, 5));
    expect(await page(`&after=${all[4]!.id}`)).toEqual(all.slice(5));
    expect(await page(`&after=${all[6]!.id}`)).toEqual([]);
    expect(await page('')).toEqual(all);
  });

  test('pages go back before a message', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const all = [];
    for (let index = 0; index < 7; index += 1) all.push(await post({ channel_id, text: String(index) }));
    const page = async (query: string) =>
      (await call('GET', `/messages?channel_id=${channel_id}${query}`)).body.data;
    expect(await page(`&before=${all[4]!.id}&limit=3`)).toEqual(all.slice(1, 4));
    expect(await page(`&before=${all[1]!.id}`)).toEqual(all.slice(0, 1));
    expect(await page(`&before=${all[0]!.id}`)).toEqual([]);
    const both = await call(
      'GET',
      `/messages?channel_id=${channel_id}&before=${all[4]!.id}&after=${all[1]!.id}`,
    );
    expect(both).toMatchObject({ status: 422, body: { errors: [{ field: 'before', code: 'not_allowed' }] } });
  });

  test('posting again with the same key posts nothing new, also at once', async () => {
    const { channel, call } = await harness(engine);
    const channel_id = await channel('general');
    const key = { 'idempotency-key': 'a-key-of-the-page' };
    const answers = await Promise.all(
      [1, 2, 3].map(() => call('POST', '/messages', { channel_id, user: ADA, text: 'once' }, key)),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect((await call('GET', `/messages?channel_id=${channel_id}`)).body.data).toHaveLength(1);
  });

  test('a page of a thread goes on after a message of the channel', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const root = await post({ channel_id });
    const first = await post({ channel_id, thread_id: root.id });
    const beside = await post({ channel_id });
    const second = await post({ channel_id, thread_id: root.id });
    const page = async (query: string) =>
      (await call('GET', `/messages?channel_id=${channel_id}&thread_id=${root.id}${query}`)).body.data;
    expect(await page(`&after=${root.id}`)).toEqual([first, second]);
    expect(await page(`&after=${beside.id}`)).toEqual([second]);
    expect(await page('&limit=2')).toEqual([first, second]);
  });

  test('messages posted at once all get in, each after the one before', async () => {
    const { channel, another, call, post } = await harness(engine);
    const channel_id = await channel('general');
    // The second process is a real case on PostgreSQL only.
    const second = engine === 'postgres' ? await another() : { post };
    const posted = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? post : second.post)({
          channel_id,
          text: String(index),
          user: { id: `u${index % 5}`, name: 'U' },
        }),
      ),
    );
    const { body } = await call('GET', `/messages?channel_id=${channel_id}&limit=200`);
    expect(body.data).toHaveLength(40);
    expect(new Set(body.data.map((message: { id: string }) => message.id))).toEqual(
      new Set(posted.map((message) => message.id)),
    );
    const times = body.data.map((message: { created_at: string }) => message.created_at);
    expect(times).toEqual([...times].sort());
    const pages: unknown[] = [];
    let after = body.data[0];
    pages.push(after);
    for (;;) {
      const next = await call('GET', `/messages?channel_id=${channel_id}&after=${after.id}&limit=7`);
      if (next.body.data.length === 0) break;
      pages.push(...next.body.data);
      after = next.body.data.at(-1);
    }
    expect(pages).toEqual(body.data);
  });

  test('a clock that goes back changes neither order nor time', async () => {
    const clock = fakeClock();
    const { channel, post, call } = await harness(engine, { clock });
    const channel_id = await channel('general');
    const first = await post({ channel_id, text: 'first' });
    clock.set(clock.nowMicroseconds() - 60_000_000);
    const second = await post({ channel_id, text: 'second' });
    const { body } = await call('GET', `/messages?channel_id=${channel_id}`);
    expect(body.data).toEqual([first, second]);
    expect(second.created_at >= first.created_at).toBe(true);
  });

  test('only the author edits, and what is the same stays unedited', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const message = await post({ channel_id, text: 'teh' });
    const path = `/messages/${message.id}`;
    expect((await call('PATCH', path, { user_id: BEN.id, text: 'mine' })).body).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    const same = await call('PATCH', path, { user_id: ADA.id, text: 'teh' });
    expect(same.body).toEqual(message);
    const edited = await call('PATCH', path, { user_id: ADA.id, text: 'the' });
    expect(edited.status).toBe(200);
    expect(edited.body).toEqual({ ...message, text: 'the', edited_at: expect.stringMatching(/Z$/) });
    const empty = await call('PATCH', path, { user_id: ADA.id, text: '' });
    expect(empty.body).toMatchObject({ status: 422, code: 'validation_failed' });
    expect((await call('GET', `/messages?channel_id=${channel_id}`)).body.data).toEqual([edited.body]);
  });

  test('only the author deletes; a tombstone stays, and stays as it is', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const root = await post({ channel_id, text: 'secret' });
    const reply = await post({ channel_id, thread_id: root.id, text: 'reply' });
    await call('POST', `/messages/${root.id}/reactions`, { user_id: BEN.id, emoji: 'eyes' });
    const path = `/messages/${root.id}`;
    expect((await call('DELETE', `${path}?user_id=ben`)).body.code).toBe('forbidden');
    const deleted = await call('DELETE', `${path}?user_id=ada`);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({ ...root, text: '', deleted_at: expect.stringMatching(/Z$/) });
    expect((await call('DELETE', `${path}?user_id=ada`)).body).toEqual(deleted.body);
    expect((await call('PATCH', path, { user_id: 'ada', text: 'back' })).body).toMatchObject({
      status: 422,
      code: 'precondition_failed',
    });
    expect((await call('POST', `${path}/reactions`, { user_id: 'ben', emoji: 'eyes' })).body.code).toBe(
      'precondition_failed',
    );
    // The conversation around it goes on.
    const late = await post({ channel_id, thread_id: root.id, reply_to: root.id, text: 'still here' });
    const { body } = await call('GET', `/messages?channel_id=${channel_id}&thread_id=${root.id}`);
    expect(body.data).toEqual([deleted.body, reply, late]);
  });

  test('what points at nothing is 404', async () => {
    const { channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const elsewhere = await post({ channel_id: await channel('other') });
    const unknown = 'post_00000000000000000000000000';
    const message = { channel_id, user: ADA, text: 'x' };
    const wrong: [string, string, unknown?][] = [
      ['POST', '/messages', { ...message, channel_id: 'local:nowhere' }],
      ['POST', '/messages', { ...message, thread_id: unknown }],
      ['POST', '/messages', { ...message, thread_id: elsewhere.id }],
      ['POST', '/messages', { ...message, reply_to: unknown }],
      ['POST', '/messages', { ...message, reply_to: elsewhere.id }],
      ['GET', '/messages?channel_id=local:nowhere'],
      ['GET', `/messages?channel_id=${channel_id}&thread_id=${elsewhere.id}`],
      ['GET', `/messages?channel_id=${channel_id}&after=${elsewhere.id}`],
      ['GET', `/messages?channel_id=${channel_id}&after=${unknown}`],
      ['PATCH', `/messages/${unknown}`, { user_id: 'ada', text: 'x' }],
      ['DELETE', `/messages/${unknown}?user_id=ada`],
      ['POST', `/messages/${unknown}/reactions`, { user_id: 'ada', emoji: '+1' }],
      ['DELETE', `/messages/${unknown}/reactions/+1?user_id=ada`],
      ['GET', `/attachments/${unknown}`],
      ['GET', '/nothing'],
    ];
    for (const [method, path, body] of wrong) {
      const answered = await call(method, path, body);
      expect([method, path, answered.body]).toEqual([
        method,
        path,
        expect.objectContaining({ status: 404, code: 'not_found' }),
      ]);
    }
    expect((await call('GET', `/messages?channel_id=${channel_id}`)).body.data).toEqual([]);
  });

  test.each<[string, string, string, Record<string, unknown> | string | undefined, number, string?]>([
    ['no channel', 'POST', '/messages', { user: ADA, text: 'x' }, 422, 'channel_id'],
    ['no user', 'POST', '/messages', { channel_id: 'local:general', text: 'x' }, 422, 'user'],
    ['no text', 'POST', '/messages', { channel_id: 'local:general', user: ADA }, 422, 'text'],
    [
      'an empty message',
      'POST',
      '/messages',
      { channel_id: 'local:general', user: ADA, text: '' },
      422,
      'text',
    ],
    [
      'a number as text',
      'POST',
      '/messages',
      { channel_id: 'local:general', user: ADA, text: 1 },
      422,
      'text',
    ],
    [
      'a text that is too long',
      'POST',
      '/messages',
      { channel_id: 'local:general', user: ADA, text: 'x'.repeat(16_001) },
      422,
      'text',
    ],
    [
      'a field nobody knows',
      'POST',
      '/messages',
      { channel_id: 'local:general', user: ADA, text: 'x', nonce: '1' },
      422,
      'nonce',
    ],
    [
      'a field of the user nobody knows',
      'POST',
      '/messages',
      { channel_id: 'local:general', user: { ...ADA, admin: true }, text: 'x' },
      422,
      'user.admin',
    ],
    ['broken JSON', 'POST', '/messages', '{"channel_id":', 400],
    ['an array', 'POST', '/messages', '[]', 422],
    ['no channel in the query', 'GET', '/messages', undefined, 422, 'channel_id'],
    ['a limit of none', 'GET', '/messages?channel_id=local:general&limit=0', undefined, 422, 'limit'],
    ['a limit over the top', 'GET', '/messages?channel_id=local:general&limit=201', undefined, 422, 'limit'],
    ['a limit of words', 'GET', '/messages?channel_id=local:general&limit=ten', undefined, 422, 'limit'],
    ['a query nobody knows', 'GET', '/messages?channel_id=local:general&q=x', undefined, 422, 'q'],
    ['a control in an id', 'GET', '/messages?channel_id=local:%00', undefined, 422, 'channel_id'],
    ['no user to delete', 'DELETE', '/messages/post_1', undefined, 422, 'user_id'],
    ['no text to edit', 'PATCH', '/messages/post_1', { user_id: 'ada' }, 422, 'text'],
    [
      'colons around an emoji',
      'POST',
      '/messages/post_1/reactions',
      { user_id: 'a', emoji: ':+1:' },
      422,
      'emoji',
    ],
    ['an emoji itself', 'POST', '/messages/post_1/reactions', { user_id: 'a', emoji: '👍' }, 422, 'emoji'],
    [
      'a tone there is not',
      'POST',
      '/messages/post_1/reactions',
      { user_id: 'a', emoji: '+1::skin-tone-7' },
      422,
      'emoji',
    ],
  ])('refuses %s', async (_what, method, path, body, status, field) => {
    const { channel, call } = await harness(engine);
    await channel('general');
    const refused = await call(method, path, body);
    expect(refused.status).toBe(status);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.body.code).toBe(status === 400 ? 'malformed_request' : 'validation_failed');
    if (field !== undefined) {
      expect(refused.body.errors).toContainEqual(expect.objectContaining({ field }));
    }
  });

  test('a text of the full length is kept, and so is null for what is not there', async () => {
    const { channel, post } = await harness(engine);
    const channel_id = await channel('general');
    const text = '😀'.repeat(8_000);
    const message = await post({ channel_id, text, thread_id: null, reply_to: null });
    expect(message.text).toBe(text);
  });

  test('methods a path does not have are named', async () => {
    const { call } = await harness(engine);
    const refused = await call('PUT', '/messages', {});
    expect(refused.body).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(refused.headers.get('allow')).toContain('POST');
  });
});

describeEngines('reactions', (engine) => {
  test('are counted once for each user and emoji, in the order they came', async () => {
    const { channel, post, call } = await harness(engine);
    const message = await post({ channel_id: await channel('general') });
    const react = (user_id: string, emoji: string) =>
      call('POST', `/messages/${message.id}/reactions`, { user_id, emoji });
    await react('ben', 'white_check_mark');
    await react('ada', '+1');
    await react('ben', '+1');
    await react('ben', '+1::skin-tone-3');
    const again = await react('ada', '+1');
    expect(again.status).toBe(200);
    expect(again.body).toEqual({
      ...message,
      reactions: [
        { emoji: 'white_check_mark', user_ids: ['ben'] },
        { emoji: '+1', user_ids: ['ada', 'ben'] },
        { emoji: '+1::skin-tone-3', user_ids: ['ben'] },
      ],
    });
    const gone = await call('DELETE', `/messages/${message.id}/reactions/%2B1?user_id=ada`);
    expect(gone.status).toBe(200);
    expect(gone.body.reactions[1]).toEqual({ emoji: '+1', user_ids: ['ben'] });
    const toned = await call('DELETE', `/messages/${message.id}/reactions/+1::skin-tone-3?user_id=ben`);
    expect(toned.body.reactions).toEqual([
      { emoji: 'white_check_mark', user_ids: ['ben'] },
      { emoji: '+1', user_ids: ['ben'] },
    ]);
    const absent = await call('DELETE', `/messages/${message.id}/reactions/eyes?user_id=ben`);
    expect(absent.status).toBe(200);
    expect(absent.body).toEqual(toned.body);
  });

  test('do not make a member', async () => {
    const { channel, post, call } = await harness(engine);
    const message = await post({ channel_id: await channel('general') });
    await call('POST', `/messages/${message.id}/reactions`, { user_id: 'ben', emoji: '+1' });
    expect((await call('GET', '/channels')).body.data[0].members).toEqual([ADA]);
  });

  test('have a bound on one message', async () => {
    const { channel, post, call } = await harness(engine, { limits: { reactionsPerMessage: 2 } });
    const message = await post({ channel_id: await channel('general') });
    const react = (emoji: string) =>
      call('POST', `/messages/${message.id}/reactions`, { user_id: 'ada', emoji });
    await react('one');
    await react('two');
    expect((await react('two')).status).toBe(200);
    expect((await react('three')).body).toMatchObject({ status: 422, code: 'precondition_failed' });
  });
});
