import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { awkwardText, headerText } from '../../test/arbitraries.ts';
import { type Address, parseAddress } from '../addresses.ts';
import { identifierField } from '../headers/fields.ts';
import { compileMessage, messageBytes, type RenderedMessage } from '../mime/message.ts';
import { hole } from '../mime/template.ts';
import { DkimKeyError, dkimRecord, generateDkimKey } from './keys.ts';
import { createDkimSigner, type DkimSigner, SIGNED_FIELDS } from './sign.ts';

const address = (text: string): Address => {
  const parsed = parseAddress(text);
  if (parsed.fault !== undefined) throw new Error(parsed.fault);
  return parsed;
};

const compiled = compileMessage({
  from: { name: 'Thé', address: address('tea@example.org') },
  replyTo: { address: address('answers@example.org') },
  subject: [hole('subject')],
  fields: [
    { name: 'List-Unsubscribe', value: ['<https://example.org/u/', hole('token'), '>'], form: 'tokens' },
    { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click', form: 'tokens' },
    identifierField('List-Id', 'Tea & Talk', 'tea.example.org'),
    { name: 'Feedback-ID', value: 'a:b:c:postern', form: 'tokens' },
    { name: 'Precedence', value: 'bulk', form: 'tokens' },
  ],
  text: ['Hello ', hole('body')],
  html: ['<p>  Hello\t ', hole('body'), '</p>  \n\n\n'],
  seed: 'x',
});
const DATE = Date.UTC(2026, 4, 1);
const render = (subject: string, body: string, to = 'zoe@example.com'): RenderedMessage =>
  compiled.render({
    to: { name: 'Zoë', address: address(to) },
    date: DATE,
    messageId: 'a@example.org',
    values: { subject, body, token: 't'.repeat(80) },
  });

let privateKey: string;
let signer: DkimSigner;

beforeAll(async () => {
  privateKey = (await generateDkimKey()).privateKey;
  signer = createDkimSigner({ domain: 'Example.org', selector: 's1', privateKey });
});

async function verify(bytes: Buffer) {
  const record = dkimRecord({ domain: 'example.org', selector: 's1', privateKey });
  const { results } = await dkimVerify(bytes, {
    resolver: async (name: string, type: string) => {
      if (type === 'TXT' && name === record.name) return [[...record.strings]];
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    },
  });
  expect(results).toHaveLength(1);
  return results[0]?.status.result;
}

const signed = (message: RenderedMessage) => messageBytes(message, signer.sign(message, DATE / 1_000));

describe('createDkimSigner', () => {
  test('signs what another implementation verifies', async () => {
    const message = render('Hello', 'world');
    const signature = signer.sign(message, 1_777_593_600.5);
    expect(signature).toMatch(
      /^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=example\.org;\r\n s=s1; t=1777593600;\r\n/,
    );
    expect(signature.replace(/\r\n /g, '')).toContain(
      'h=From:From:Reply-To:To:Subject:Date:Message-ID:MIME-Version:Content-Type:' +
        'List-Unsubscribe:List-Unsubscribe-Post:List-Id:Feedback-ID;',
    );
    for (const line of signature.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
    expect(signature).not.toMatch(/[; ]l=/);
    expect(await verify(messageBytes(message, signature))).toBe('pass');
    expect(await signer.signAsync(message, 1_777_593_600)).toBe(signature);
  });

  test('holds for any subject and content, for SMTPUTF8 too', async () => {
    await fc.assert(
      fc.asyncProperty(headerText, awkwardText, fc.boolean(), async (title, body, utf8) => {
        const message = render(title, body, utf8 ? 'zoë@example.com' : 'zoe@example.com');
        expect(await verify(signed(message))).toBe('pass');
      }),
      { numRuns: 60 },
    );
  });

  test('breaks when any signed field or the body is changed, or a second From is put in', async () => {
    const text = signed(render('Hello', 'world')).toString('latin1');
    const [head = '', ...rest] = text.split('\r\n\r\n');
    const fields = head.split(/\r\n(?=\S)/);
    for (const name of SIGNED_FIELDS) {
      const at = fields.findIndex((field) => field.startsWith(`${name}:`));
      if (at === -1) continue;
      const changed = fields.with(
        at,
        fields[at]!.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
      );
      expect(
        await verify(Buffer.from([changed.join('\r\n'), ...rest].join('\r\n\r\n'), 'latin1')),
        name,
      ).not.toBe('pass');
    }
    expect(await verify(Buffer.from(text.replace('Hello', 'Hallo'), 'latin1'))).not.toBe('pass');
    expect(await verify(Buffer.from(`${text}more`, 'latin1'))).not.toBe('pass');
    expect(await verify(Buffer.from(`From: x@example.net\r\n${text}`, 'latin1'))).not.toBe('pass');
    expect(await verify(Buffer.from(text.replace('Precedence: bulk', 'Precedence: list'), 'latin1'))).toBe(
      'pass',
    );
  });

  test('refuses domains and selectors that make no record', () => {
    for (const bad of ['', 'a b', '-a', 'a.', 'a;d=x', 'a'.repeat(64)]) {
      expect(() => createDkimSigner({ domain: 'example.org', selector: bad, privateKey })).toThrow(
        DkimKeyError,
      );
    }
    expect(() => createDkimSigner({ domain: 'no domain', selector: 's1', privateKey })).toThrow(DkimKeyError);
  });
});
