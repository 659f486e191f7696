import { expect, test } from 'vitest';
import { oddSenderId } from './sender-ids.ts';

test.each([
  ['discord', '175928847299117063'],
  ['imessage', '+15551234567'],
  ['imessage', 'sms:+15551234567'],
  ['imessage', 'sms:262966'],
  ['imessage', 'ana@example.com'],
  ['imessage', 'urn:biz:0f3a'],
  ['local', 'Anna B.'],
])('%s/%s is an id that somebody may have', (source, id) => {
  expect(oddSenderId(source, id)).toBeNull();
});

test.each([
  ['discord', 'olga', 'long numbers'],
  ['discord', '@olga', 'long numbers'],
  ['imessage', '5551234567', 'country code'],
  ['imessage', '+1 555 123 4567', 'no spaces'],
  ['imessage', '+0155512345', 'country code'],
  ['imessage', 'Ana@Example.com', 'ana@example.com'],
])('%s/%s would let nobody in: %s', (source, id, why) => {
  expect(oddSenderId(source, id)).toContain(why);
});
