import { systemRandom } from '@postern/kit';
import { expect, test } from 'vitest';
import { seal, unseal } from './seal.ts';

const ports = { installationKey: new Uint8Array(32).fill(1), random: systemRandom };

test('a sealed secret opens with its key and for its purpose only', () => {
  const sealed = seal(ports, 'webhook', 'whsec_ä');
  expect(sealed).not.toContain('whsec');
  expect(unseal(ports, 'webhook', sealed)).toBe('whsec_ä');
  expect(() => unseal(ports, 'dkim', sealed)).toThrow();
  expect(() => unseal({ installationKey: new Uint8Array(32) }, 'webhook', sealed)).toThrow();
  expect(() => unseal(ports, 'webhook', `${sealed.slice(0, -4)}AAAA`)).toThrow();
  expect(() => unseal(ports, 'webhook', 'whsec_x')).toThrow('not a sealed secret');
  expect(seal(ports, 'webhook', 'whsec_ä')).not.toBe(sealed);
});
