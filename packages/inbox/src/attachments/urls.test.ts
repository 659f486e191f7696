import { fakeClock } from '@postern/kit/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachmentUrl, ownAttachmentId, verifyAttachmentSignature } from './urls.ts';

const ID = 'att_01HXYZABCDEFGHJKMNPQRSTVWX';
const OTHER = 'att_01HXYZABCDEFGHJKMNPQRSTVWY';

function signer(key = 1, publicUrl = 'https://hub.example/postern') {
  return { clock: fakeClock(), signingKey: new Uint8Array(32).fill(key), publicUrl: () => publicUrl };
}

function parts(address: string) {
  const { searchParams } = new URL(address);
  return {
    expires: Number(searchParams.get('expires')),
    signature: searchParams.get('signature') ?? '',
  };
}

describe('a signed attachment address', () => {
  test('opens its attachment for the audience it was made for', () => {
    const hub = signer();
    for (const audience of ['agent', 'operator'] as const) {
      const address = attachmentUrl(hub, ID, audience);
      expect(address.startsWith(`https://hub.example/postern/attachments/${ID}?expires=`)).toBe(true);
      const { expires, signature } = parts(address);
      expect(verifyAttachmentSignature(hub, ID, expires, signature)).toBe(audience);
    }
  });

  test('is good for an hour and no longer', async () => {
    const hub = signer();
    const { expires, signature } = parts(attachmentUrl(hub, ID, 'agent'));
    await hub.clock.advance(3_600_000);
    expect(verifyAttachmentSignature(hub, ID, expires, signature)).toBe('agent');
    await hub.clock.advance(1);
    expect(verifyAttachmentSignature(hub, ID, expires, signature)).toBeNull();
    const fresh = parts(attachmentUrl(hub, ID, 'agent'));
    expect(verifyAttachmentSignature(hub, ID, fresh.expires, fresh.signature)).toBe('agent');
  });

  test('does not open another attachment, a later time, or another hub', () => {
    const hub = signer();
    const { expires, signature } = parts(attachmentUrl(hub, ID, 'agent'));
    expect(verifyAttachmentSignature(hub, OTHER, expires, signature)).toBeNull();
    for (const time of [
      expires + 1,
      expires * 2,
      Number.MAX_SAFE_INTEGER,
      1e300,
      Number.NaN,
      Infinity,
      expires + 0.5,
    ])
      expect(verifyAttachmentSignature(hub, ID, time, signature)).toBeNull();
    expect(verifyAttachmentSignature(signer(2), ID, expires, signature)).toBeNull();
  });

  test('an agent’s is not an operator’s: the audience is what was signed', () => {
    const hub = signer();
    const agent = parts(attachmentUrl(hub, ID, 'agent'));
    const operator = parts(attachmentUrl(hub, ID, 'operator'));
    expect(agent.signature).not.toBe(operator.signature);
    expect(verifyAttachmentSignature(hub, ID, agent.expires, agent.signature)).toBe('agent');
  });

  test('no forged signature is taken, and none makes it throw', () => {
    const hub = signer();
    const { expires, signature } = parts(attachmentUrl(hub, ID, 'agent'));
    for (const forged of [
      '',
      'x',
      `${signature}A`,
      signature.slice(1),
      signature.toLowerCase(),
      '\u0000',
      '%',
      signature.repeat(20),
    ])
      expect(verifyAttachmentSignature(hub, ID, expires, forged)).toBeNull();
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        fc.pre(text !== signature);
        expect(verifyAttachmentSignature(hub, ID, expires, text)).toBeNull();
      }),
    );
  });
});

describe('the hub’s own addresses among others', () => {
  const table: [string, string, string | null][] = [
    ['https://hub.example', `https://hub.example/attachments/${ID}`, ID],
    ['https://hub.example', `https://hub.example/attachments/${ID}?expires=1&signature=x`, ID],
    ['https://hub.example', `https://HUB.example:443/attachments/${ID}`, ID],
    ['https://hub.example/', `https://hub.example/attachments/${ID}`, ID],
    ['https://hub.example/base', `https://hub.example/base/attachments/${ID}`, ID],
    ['https://hub.example/base/', `https://hub.example/base/attachments/${ID}`, ID],
    ['https://hub.example/base', `https://hub.example/attachments/${ID}`, null],
    ['https://hub.example', `https://hub.example/other/${ID}`, null],
    ['https://hub.example', `https://evil.example/attachments/${ID}`, null],
    ['https://hub.example', `https://hub.example.evil.example/attachments/${ID}`, null],
    ['https://hub.example', `https://hub.example@evil.example/attachments/${ID}`, null],
    ['http://127.0.0.1:8080', `http://127.0.0.1:8081/attachments/${ID}`, null],
    ['http://127.0.0.1:8080', `http://127.0.0.1:8080/attachments/${ID}`, ID],
  ];
  test.each(table)('hub %s, address %s: %s', (publicUrl, address, expected) => {
    expect(ownAttachmentId(publicUrl, new URL(address))).toBe(expected);
  });
});
