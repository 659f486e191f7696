import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DkimKeyError, dkimRecord, generateDkimKey, readDkimKey } from './keys.ts';

describe('DKIM keys', () => {
  test('are RSA of 2048 bits, published in strings of at most 255', async () => {
    const { privateKey } = await generateDkimKey();
    expect(readDkimKey(privateKey).asymmetricKeyDetails?.modulusLength).toBe(2048);
    const record = dkimRecord({ domain: 'example.org', selector: 's1', privateKey });
    expect(record.name).toBe('s1._domainkey.example.org');
    expect(record.value).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+=*$/);
    expect(record.strings.join('')).toBe(record.value);
    expect(record.strings.length).toBe(2);
    for (const text of record.strings) expect(text.length).toBeLessThanOrEqual(255);
  });

  test('of other kinds are refused without quoting them', () => {
    const pem = (type: 'rsa' | 'ed25519') =>
      (type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 1024 })
        : generateKeyPairSync('ed25519')
      ).privateKey
        .export({ type: 'pkcs8', format: 'pem' })
        .toString();
    expect(() => readDkimKey('not a key')).toThrow(
      new DkimKeyError('The DKIM key is not a private key in PEM'),
    );
    expect(() => readDkimKey(pem('rsa'))).toThrow('not an RSA key of 2048 bits');
    expect(() => readDkimKey(pem('ed25519'))).toThrow('not an RSA key of 2048 bits');
  });
});
