import { buffer } from 'node:stream/consumers';
import { describeEngines } from '@postern/store/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InboxBench, inboundFile, inboxBench, messageEvent } from '../testing/index.ts';
import { attachmentAnswer, contentDisposition } from './serve.ts';

async function stored(bench: InboxBench, name: string, bytes: string, sender = 'ana'): Promise<string> {
  const event = messageEvent({
    sender: { id: sender, displayName: sender },
    attachments: [inboundFile(name, bytes)],
  });
  await bench.accept(event);
  const { message_id } = await bench.stored(event.platformId);
  const row = await bench.ports.store.db
    .selectFrom('inbox_attachments')
    .select('attachment_id')
    .where('message_id', '=', message_id)
    .executeTakeFirstOrThrow();
  return row.attachment_id;
}

async function fetched(bench: InboxBench, id: string, range?: string) {
  const answer = await attachmentAnswer(bench.ports, id, { quarantined: false, range });
  const body = answer.body === null ? null : (await buffer(answer.body as NodeJS.ReadableStream)).toString();
  return { ...answer, body };
}

describeEngines('serving an attachment', (engine) => {
  test('whole, it comes as a download that no browser shows, runs or guesses about', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const id = await stored(bench, 'page.html', '<html><script>alert(1)</script></html>');
    expect(await fetched(bench, id)).toEqual({
      status: 200,
      body: '<html><script>alert(1)</script></html>',
      headers: {
        'content-type': 'text/plain',
        'content-length': '38',
        'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, max-age=3600',
        'accept-ranges': 'bytes',
      },
    });
  });

  test('in part, and not beyond its end', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const id = await stored(bench, 'a', '0123456789');
    expect(await fetched(bench, id, 'bytes=2-4')).toMatchObject({
      status: 206,
      body: '234',
      headers: {
        'content-range': 'bytes 2-4/10',
        'content-length': '3',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(await fetched(bench, id, 'bytes=-3')).toMatchObject({ status: 206, body: '789' });
    await expect(fetched(bench, id, 'bytes=10-')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      status: 416,
      headers: { 'content-range': 'bytes */10' },
    });
    expect(await fetched(bench, id, 'bytes=1-2,4-5')).toMatchObject({ status: 200, body: '0123456789' });
  });

  test('an empty one is served empty', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const id = await stored(bench, 'empty', '');
    expect(await fetched(bench, id)).toMatchObject({
      status: 200,
      body: '',
      headers: { 'content-length': '0' },
    });
    await expect(fetched(bench, id, 'bytes=0-')).rejects.toMatchObject({ status: 416 });
    expect(await fetched(bench, id, 'bytes=-1')).toMatchObject({ status: 200, body: '' });
  });

  test('unknown, in quarantine, staged, expired or without its bytes: the same 404', async () => {
    const bench = await inboxBench(engine);
    await bench.allow('ana');
    const quarantined = await stored(bench, 'a', 'x', 'eve');
    const gone = await stored(bench, 'a', 'x');
    await bench.ports.blobs.delete(gone);
    const expired = await stored(bench, 'a', 'x');
    const staged = await stored(bench, 'a', 'x');
    const { db } = bench.ports.store;
    await db
      .updateTable('inbox_attachments')
      .set({ available: 0 })
      .where('attachment_id', '=', expired)
      .execute();
    await db
      .updateTable('inbox_attachments')
      .set({ message_id: null })
      .where('attachment_id', '=', staged)
      .execute();
    for (const id of ['att_00000000000000000000000000', quarantined, gone, expired, staged])
      await expect(
        attachmentAnswer(bench.ports, id, { quarantined: false, range: undefined }),
      ).rejects.toMatchObject({
        code: 'NOT_FOUND',
        status: 404,
        message: `There is no attachment ${id}, or its bytes are gone.`,
      });
    expect(
      await attachmentAnswer(bench.ports, quarantined, { quarantined: true, range: undefined }),
    ).toMatchObject({
      status: 200,
    });
  });
});

describe('Content-Disposition', () => {
  const field = (name: string) => {
    const match =
      /^attachment; filename="([\x20-\x21\x23-\x5b\x5d-\x7e]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+\-.^_`|~%]*)$/.exec(
        contentDisposition(name),
      );
    return match && [match[1], decodeURIComponent(match[2] ?? '')];
  };

  test('names of any script come through in the extended form, with a plain one beside it', () => {
    expect(field('report.pdf')).toEqual(['report.pdf', 'report.pdf']);
    expect(field('Überblick – 2026.pdf')).toEqual(['_berblick _ 2026.pdf', 'Überblick – 2026.pdf']);
    expect(field('a"b\\c%41.txt')).toEqual(['a_b_c_41.txt', 'a"b\\c%41.txt']);
    expect(field("it's (1)*.txt")).toEqual(["it's (1)*.txt", "it's (1)*.txt"]);
  });

  test('no name breaks out of the field', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (name) => {
        const parsed = field(name);
        expect(parsed).not.toBeNull();
        expect(parsed?.[1]).toBe(name.toWellFormed());
      }),
    );
    expect(field('a\r\nset-cookie: x=1')?.[0]).toBe('a__set-cookie: x=1');
    expect(field('\ud800')).toEqual(['_', '\ufffd']);
  });
});
