import { fakeClock } from '@postern/kit/testing';
import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { sniffMime } from '../src/mime.ts';
import { ADA, base64, harness } from './harness.ts';

/** The smallest PNG there is: one transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describeEngines('attachments', (engine) => {
  test('come back byte for byte, with what they are seen to be', async () => {
    const { base, channel, post, call } = await harness(engine);
    const channel_id = await channel('general');
    const message = await post({
      channel_id,
      text: '',
      attachments: [
        { name: 'pixel ü.png', mime: 'text/plain', data: base64(PNG) },
        { name: 'note.md', mime: 'text/markdown', data: base64('# hi\n') },
      ],
    });
    expect(message.attachments).toEqual([
      {
        id: expect.stringMatching(/^file_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: 'pixel ü.png',
        mime: 'image/png',
        size_bytes: PNG.length,
        url: `${base}/local/api/attachments/${message.attachments[0]!.id}`,
      },
      expect.objectContaining({ name: 'note.md', mime: 'text/markdown', size_bytes: 5 }),
    ]);
    const [pixel, note] = message.attachments;
    const image = await call('GET', `/attachments/${pixel!.id}`);
    expect(image.status).toBe(200);
    expect(image.body).toEqual(PNG);
    expect(image.headers.get('content-type')).toBe('image/png');
    expect(image.headers.get('content-length')).toBe(String(PNG.length));
    expect(image.headers.get('content-disposition')).toBe(
      `inline; filename="pixel _.png"; filename*=UTF-8''pixel%20%C3%BC.png`,
    );
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect(image.headers.get('content-security-policy')).toContain('sandbox');
    const text = await call('GET', `/attachments/${note!.id}`);
    expect(text.body.toString()).toBe('# hi\n');
    expect(text.headers.get('content-disposition')).toMatch(/^attachment;/);
    const head = await call('HEAD', `/attachments/${pixel!.id}`);
    expect(head.status).toBe(200);
    const { body } = await call('GET', `/messages?channel_id=${channel_id}`);
    expect(body.data).toEqual([message]);
  });

  test('go when their message is deleted', async () => {
    const { channel, post, call, store, blobs } = await harness(engine);
    const message = await post({
      channel_id: await channel('general'),
      attachments: [{ name: 'a', mime: 'text/plain', data: base64('a') }],
    });
    const id = message.attachments[0]!.id;
    const deleted = await call('DELETE', `/messages/${message.id}?user_id=ada`);
    expect(deleted.body.attachments).toEqual([]);
    expect((await call('GET', `/attachments/${id}`)).status).toBe(404);
    expect(await blobs.open(id)).toBeUndefined();
    expect(await store.db.selectFrom('chat_loose_blobs').selectAll().execute()).toEqual([]);
  });

  test('keep a message whose text is edited away', async () => {
    const { channel, post, call } = await harness(engine);
    const message = await post({
      channel_id: await channel('general'),
      attachments: [{ name: 'a', mime: 'text/plain', data: base64('a') }],
    });
    const edited = await call('PATCH', `/messages/${message.id}`, { user_id: 'ada', text: '' });
    expect(edited.body).toMatchObject({ text: '', attachments: message.attachments });
  });

  test.each<[string, Record<string, unknown>[], string, string]>([
    ['no base64', [{ name: 'a', mime: 'text/plain', data: 'a!==' }], 'attachments.0.data', 'invalid_format'],
    [
      'base64 without padding',
      [{ name: 'a', mime: 'text/plain', data: 'YQ' }],
      'attachments.0.data',
      'invalid_format',
    ],
    [
      'base64 for URLs',
      [{ name: 'a', mime: 'text/plain', data: '_-8=' }],
      'attachments.0.data',
      'invalid_format',
    ],
    ['no data', [{ name: 'a', mime: 'text/plain' }], 'attachments.0.data', 'required'],
    ['no name', [{ name: '', mime: 'text/plain', data: '' }], 'attachments.0.name', 'too_short'],
    ['a type that is none', [{ name: 'a', mime: 'text', data: '' }], 'attachments.0.mime', 'invalid_format'],
    [
      'a path',
      [{ name: 'a', mime: 'a/b', data: '', path: '/etc/passwd' }],
      'attachments.0.path',
      'unknown_field',
    ],
    [
      'eleven files',
      Array.from({ length: 11 }, () => ({ name: 'a', mime: 'a/b', data: '' })),
      'attachments',
      'too_many',
    ],
  ])('refuses %s', async (_what, attachments, field, code) => {
    const { channel, call } = await harness(engine);
    const channel_id = await channel('general');
    const refused = await call('POST', '/messages', { channel_id, user: ADA, text: 'x', attachments });
    expect(refused.body).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(refused.body.errors).toContainEqual(expect.objectContaining({ field, code }));
    expect((await call('GET', `/messages?channel_id=${channel_id}`)).body.data).toEqual([]);
  });

  test('over the limit are refused whole and leave nothing', async () => {
    const { channel, call, store } = await harness(engine, { limits: { attachmentBytes: 100 } });
    const channel_id = await channel('general');
    const refused = await call('POST', '/messages', {
      channel_id,
      user: ADA,
      text: 'x',
      attachments: [
        { name: 'small', mime: 'text/plain', data: base64('x'.repeat(100)) },
        { name: 'big', mime: 'text/plain', data: base64('x'.repeat(101)) },
      ],
    });
    expect(refused.body).toMatchObject({ status: 413, code: 'body_too_large' });
    expect((await call('GET', `/messages?channel_id=${channel_id}`)).body.data).toEqual([]);
    expect(await store.db.selectFrom('chat_loose_blobs').selectAll().execute()).toEqual([]);
  });

  test('a message body may be larger than others, to its own limit', async () => {
    const { channel, call } = await harness(engine, { limits: { messageBodyBytes: 12 * 1_048_576 } });
    const channel_id = await channel('general');
    const bytes = Buffer.alloc(8 * 1_048_576, 7);
    const message = { channel_id, user: ADA, text: 'x' };
    const file = { name: 'big.bin', mime: 'application/x-thing', data: base64(bytes) };
    const sent = await call('POST', '/messages', { ...message, attachments: [file] });
    expect(sent.body.attachments[0]).toMatchObject({ mime: 'application/x-thing', size_bytes: bytes.length });
    const got = await call('GET', `/attachments/${sent.body.attachments[0].id}`);
    expect(Buffer.compare(got.body, bytes)).toBe(0);
    const refused = await call('POST', '/messages', { ...message, attachments: [file, file] });
    expect(refused.body).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  test('bytes that a dead process left are swept away at a later start', async () => {
    const clock = fakeClock();
    const { blobs, store, restart, chat, channel } = await harness(engine, { clock });
    const channelId = await channel('general');
    async function* fails() {
      yield Buffer.from('half');
      throw new Error('the line went dead');
    }
    await expect(
      chat.post({
        channelId,
        user: ADA,
        text: '',
        attachments: [{ name: 'a', mime: 'a/b', open: async () => fails() }],
      }),
    ).rejects.toThrow('the line went dead');
    expect(await store.db.selectFrom('chat_loose_blobs').selectAll().execute()).toEqual([]);

    await blobs.put('file_left', Buffer.from('left behind'));
    await store.db
      .insertInto('chat_loose_blobs')
      .values({ blob_id: 'file_left', since_us: clock.nowMicroseconds() })
      .execute();
    await restart();
    expect(await blobs.open('file_left')).toBeDefined();
    // An hour later it is swept, without another start.
    clock.set(clock.nowMicroseconds() + 2 * 3_600_000_000);
    await clock.advance(1);
    const loose = () => store.db.selectFrom('chat_loose_blobs').selectAll().execute();
    while ((await loose()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await blobs.open('file_left')).toBeUndefined();
  });
});

test.each<[string, Uint8Array, string, string]>([
  ['a PNG that is called a text', PNG, 'text/plain', 'image/png'],
  ['a text that is called a PNG', Buffer.from('hello'), 'image/png', 'text/plain'],
  ['HTML that is called HTML', Buffer.from('<p>hi'), 'text/html; charset=utf-8', 'text/html'],
  ['JSON', Buffer.from('{}'), 'application/json', 'application/json'],
  ['an SVG', Buffer.from('<?xml version="1.0"?><svg/>'), 'image/svg+xml', 'image/svg+xml'],
  ['XML that nobody names', Buffer.from('<?xml version="1.0"?><a/>'), 'a/b', 'application/xml'],
  ['bytes that are called a PNG', Buffer.from([0, 1, 2, 255]), 'image/png', 'application/octet-stream'],
  ['bytes that are called a text', Buffer.from([0, 1, 2, 255]), 'text/plain', 'application/octet-stream'],
  ['bytes of a format of its own', Buffer.from([0, 1, 2, 255]), 'application/x-thing', 'application/x-thing'],
  ['nothing', new Uint8Array(), 'text/csv', 'text/csv'],
  ['a character cut at the end', Buffer.from('grüß').subarray(0, 3), 'text/plain', 'text/plain'],
])('%s is taken for what it is', async (_what, bytes, declared, mime) => {
  expect(await sniffMime(bytes, declared)).toBe(mime);
});
