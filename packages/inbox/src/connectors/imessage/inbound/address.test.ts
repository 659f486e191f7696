import { expect, test } from 'vitest';
import { accountAddress, normalizeAddress, senderIdOf } from './address.ts';

test.each([
  ['+15551234567', 'US', '+15551234567'],
  ['(555) 123-4567', 'US', '+15551234567'],
  ['555.123.4567', 'US', '+15551234567'],
  ['tel:+1-555-123-4567', 'US', '+15551234567'],
  ['030 123456', 'DE', '+4930123456'],
  ['07700 900123', 'GB', '+447700900123'],
  ['Ana@Example.COM', 'US', 'ana@example.com'],
  ['88022', 'US', '88022'],
  ['AMAZON', 'US', 'AMAZON'],
  ['+1555123456789012345', 'US', '+1555123456789012345'],
  ['urn:biz:1234', 'US', 'urn:biz:1234'],
  ['call 555 123 4567', 'US', 'call 555 123 4567'],
  ['5551234567', 'nowhere', '5551234567'],
])('%s in %s is %s', (address, region, expected) => {
  expect(normalizeAddress(address, region)).toBe(expected);
});

test('only iMessage vouches for a sender', () => {
  expect(senderIdOf('+15550100', 'iMessage')).toBe('+15550100');
  expect(senderIdOf('+15550100', 'SMS')).toBe('sms:+15550100');
  expect(senderIdOf('+15550100', 'RCS')).toBe('rcs:+15550100');
  expect(senderIdOf('+15550100', null)).toBe('unknown:+15550100');
});

test('an account is told by its address', () => {
  expect(accountAddress('E:Ana@example.com', 'US')).toBe('ana@example.com');
  expect(accountAddress('P:+15550100', 'US')).toBe('+15550100');
  expect(accountAddress('E:', 'US')).toBeNull();
});
