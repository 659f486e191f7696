import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';

/** What people write between the digits of a number; letters make it a name. */
const NUMBER = /^\+?[\d\s().\-\u00a0\u2010-\u2015/]{5,32}$/;
const ADDRESS = /^[^\s@:;]+@[^\s@:;]+$/;

/**
 * A person's address in the one form that envelopes and the allowlist have: E.164 for phone numbers, lower case for
 * e-mail addresses, anything else (short codes, names of businesses) as it stands.
 *
 * @param region ISO 3166 code of the country whose numbers come without their country code.
 */
export function normalizeAddress(address: string, region: string): string {
  const trimmed = address.trim().replace(/^(?:tel|mailto):/i, '');
  if (ADDRESS.test(trimmed)) return trimmed.toLowerCase();
  if (!NUMBER.test(trimmed)) return trimmed;
  const country = isSupportedCountry(region) ? (region as CountryCode) : undefined;
  const number = parsePhoneNumberFromString(trimmed, {
    extract: false,
    ...(country === undefined ? {} : { defaultCountry: country }),
  });
  return number?.isPossible() ? number.number : trimmed;
}

/** The only service that vouches for its senders. */
const VOUCHING = 'iMessage';

/**
 * The id of a sender. An SMS or RCS message may say it came from any number, so its sender never counts as the
 * person whom iMessage vouches for: it is another sender, `sms:+15550100`, to be allowed by itself or not at all.
 */
export function senderIdOf(address: string, service: string | null): string {
  if (service === VOUCHING) return address;
  const name = service?.toLowerCase().replaceAll(/[^a-z0-9]/g, '') || 'unknown';
  return `${name}:${address}`;
}

/** The account of a message or chat, `E:ana@example.com` or `P:+15550100`, as an address. */
export function accountAddress(account: string | null, region: string): string | null {
  if (account === null) return null;
  const address = account.replace(/^[ep]:/i, '');
  return address === '' ? null : normalizeAddress(address, region);
}
