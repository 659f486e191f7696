import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MailToken, type PersonPurpose, tokensOf } from './tokens.ts';

const tokens = tokensOf(new Uint8Array(32).fill(1));
const others = tokensOf(new Uint8Array(32).fill(2));
const purposes: readonly PersonPurpose[] = ['unsubscribe', 'preferences', 'view', 'open', 'click'];

const crockford = fc
  .array(fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'), { minLength: 26, maxLength: 26 })
  .map((characters) => characters.join(''));
const mails: fc.Arbitrary<MailToken> = fc.record({
  campaignId: crockford.map((text) => `cmp_${text}`),
  subscriberId: fc.option(crockford.map((text) => `sub_${text}`)),
});

describe('tokens', () => {
  test('come back as what they were made of, and open no other purpose', () => {
    fc.assert(
      fc.property(
        mails,
        fc.constantFrom(...purposes),
        fc.constantFrom(...purposes),
        (mail, purpose, other) => {
          const token = tokens.mail(purpose, mail);
          expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(tokens.readMail(other, token)).toEqual(other === purpose ? mail : null);
          expect(others.readMail(purpose, token)).toBeNull();
        },
      ),
    );
  });

  test('carry links of any characters, byte for byte', () => {
    fc.assert(
      fc.property(mails, fc.string({ unit: 'binary', minLength: 1 }), (mail, text) => {
        const url = text.toWellFormed();
        expect(tokens.readLink(tokens.link(mail, url))).toEqual({ ...mail, url });
      }),
    );
  });

  test('are refused with any one character changed, cut or added', () => {
    const mail = { campaignId: 'cmp_01HZZZZZZZZZZZZZZZZZZZZZZZ', subscriberId: `sub_${'A'.repeat(26)}` };
    const token = tokens.mail('unsubscribe', mail);
    for (let at = 0; at < token.length; at += 1) {
      const changed = `${token.slice(0, at)}${token[at] === 'B' ? 'C' : 'B'}${token.slice(at + 1)}`;
      expect(tokens.readMail('unsubscribe', changed)).toBeNull();
      expect(tokens.readMail('unsubscribe', token.slice(0, at))).toBeNull();
    }
    expect(tokens.readMail('unsubscribe', `${token}A`)).toBeNull();
    expect(tokens.readMail('unsubscribe', '')).toBeNull();
  });

  test('of a confirmation tell when it was asked for', () => {
    const id = `sub_${'Z'.repeat(26)}`;
    const token = tokens.confirm(id, 1_700_000_000_999_999);
    expect(tokens.readConfirm(token)).toEqual({ subscriberId: id, atSeconds: 1_700_000_000 });
    expect(
      tokens.readConfirm(tokens.mail('view', { campaignId: `cmp_${'0'.repeat(26)}`, subscriberId: id })),
    ).toBeNull();
  });

  test('of a return path fit a local part and survive a change of case', () => {
    fc.assert(
      fc.property(crockford, fc.constantFrom('dlv', 'eml'), (ulid, kind) => {
        const id = `${kind}_${ulid}`;
        const local = tokens.bounce(id);
        expect(local.length).toBeLessThanOrEqual(64);
        expect(local).toBe(local.toLowerCase());
        expect(tokens.readBounce(local.toUpperCase())).toBe(id);
        expect(others.readBounce(local)).toBeNull();
      }),
    );
    expect(tokens.readBounce('bounce')).toBeNull();
  });

  test('of a Message-ID survive a change of case, and are no return path', () => {
    fc.assert(
      fc.property(crockford, crockford, fc.constantFrom('dlv', 'eml'), (ulid, other, kind) => {
        const id = `${kind}_${ulid}`;
        const left = tokens.messageId(id);
        expect(tokens.readMessageId(left.toUpperCase())).toBe(id);
        expect(others.readMessageId(left)).toBeNull();
        expect(tokens.readBounce(`b1-${left.replace('-', '')}`)).toBeNull();
        const changed = left.replace(ulid.toLowerCase(), other.toLowerCase());
        expect(tokens.readMessageId(changed)).toBe(other === ulid ? id : null);
      }),
    );
    expect(tokens.readMessageId(`dlv-${'0'.repeat(26)}`)).toBeNull();
  });
});
