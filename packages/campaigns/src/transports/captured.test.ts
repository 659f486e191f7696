import { createServer, problemDialect } from '@postern/http';
import { describeEngines } from '@postern/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { OutgoingMail } from '../engine/ports.ts';
import { mountForOperators } from '../operator-routes.ts';
import { BENCH_ADMIN_KEY, campaignsBench } from '../testing/index.ts';
import { captureTransport } from './capture.ts';

const yes = { beforeMail: async () => true, beforeEnd: async () => true };
const never = new AbortController().signal;

interface Listed {
  readonly data: readonly { readonly id: string; readonly to: string }[];
}

function mailTo(to: string): OutgoingMail {
  const bytes = Buffer.from(`Subject: H\u00e9 ${to}\r\n\r\n.\r\nbody\u0000\r\n`, 'latin1');
  return { from: 'b1@example.com', to, bytes, messageId: 'a@b', subject: `Hé ${to}`, smtpUtf8: false };
}

describeEngines('captured mails', (engine) => {
  async function start(config: object = {}) {
    const bench = await campaignsBench(engine, { config });
    const { ports, log } = bench;
    const dialect = problemDialect({ publicUrl: ports.publicUrl });
    const app = createServer({ log, publicUrl: ports.publicUrl, dialectFor: () => dialect });
    mountForOperators(app, { ports, dialect, log, operatorOf: async () => null });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    const get = (path: string, key: string = BENCH_ADMIN_KEY) =>
      fetch(`${url}/captured/api${path}`, { headers: { authorization: `Bearer ${key}` } });
    return { ...bench, get, transport: captureTransport(ports) };
  }

  test('are listed newest first, by address too, and come back byte for byte', async () => {
    const { transport, get } = await start();
    for (const to of ['a@example.org', 'b@example.org', 'a@example.org']) {
      expect(await transport.send(mailTo(to), yes, never)).toMatchObject({ kind: 'accepted' });
    }
    const all = (await (await get('/messages')).json()) as Listed;
    expect(all.data.map((one) => one.to)).toEqual(['a@example.org', 'b@example.org', 'a@example.org']);
    const some = (await (await get('/messages?to=b@example.org&limit=5')).json()) as Listed;
    expect(some.data).toEqual([
      {
        id: expect.stringMatching(/^cap_/),
        from: 'b1@example.com',
        to: 'b@example.org',
        subject: 'Hé b@example.org',
        size: mailTo('b@example.org').bytes.length,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const raw = await get(`/messages/${some.data[0]!.id}/raw`);
    expect(raw.headers.get('content-type')).toBe('message/rfc822');
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(Buffer.from(mailTo('b@example.org').bytes));
  });

  test('are found by a domain as it is typed', async () => {
    const { transport, get } = await start();
    await transport.send(mailTo('ana@xn--bcher-kva.example'), yes, never);
    const typed = encodeURIComponent('ana@BÜCHER.example');
    const found = (await (await get(`/messages?to=${typed}`)).json()) as Listed;
    expect(found.data.map((one) => one.to)).toEqual(['ana@xn--bcher-kva.example']);
  });

  test('are found whatever is written in capitals', async () => {
    const { transport, get } = await start();
    await transport.send(mailTo('Ana.B@example.org'), yes, never);
    const found = (await (await get('/messages?to=aNA.b@EXAMPLE.org')).json()) as Listed;
    expect(found.data.map((one) => one.to)).toEqual(['Ana.B@example.org']);
  });

  test('are for admins, and say in problem+json what is wrong', async () => {
    const { get } = await start();
    expect((await get('/messages', 'wrong')).status).toBe(401);
    expect((await get('/messages/cap_01HXYZABCDEFGHJKMNPQRSTVWX/raw')).status).toBe(404);
    const bad = await get('/messages?limit=101');
    expect(bad.status).toBe(422);
    expect(await bad.json()).toMatchObject({ code: 'validation_failed', errors: [{ field: 'limit' }] });
  });

  test('are kept up to a number, the newest', async () => {
    const { transport, ports } = await start({ captureKeep: 5 });
    for (let index = 0; index < 205; index += 1) {
      await transport.send(mailTo(`p${index}@example.org`), yes, never);
    }
    const kept = await ports.store.db.selectFrom('mail_captured').select('rcpt_to').execute();
    expect(kept.length).toBeLessThan(110);
    expect(kept.map((row) => row.rcpt_to)).toContain('p204@example.org');
    expect(kept.map((row) => row.rcpt_to)).not.toContain('p0@example.org');
  });

  test('are none where a hook says no', async () => {
    const { transport, ports } = await start();
    const no = async () => false;
    expect(await transport.send(mailTo('a@b.org'), { ...yes, beforeMail: no }, never)).toEqual({
      kind: 'held',
    });
    expect(await transport.send(mailTo('a@b.org'), { ...yes, beforeEnd: no }, never)).toEqual({
      kind: 'held',
    });
    expect(await ports.store.db.selectFrom('mail_captured').select('rcpt_to').execute()).toEqual([]);
  });
});
