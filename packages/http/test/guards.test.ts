import { describe, expect, test } from 'vitest';
import { bearerToken, secretHash, secretsEqual } from '../src/auth.ts';
import { isOwnOrigin, isSameOrigin } from '../src/hosts.ts';
import { MAX_JSON_DEPTH, parseJson } from '../src/json.ts';
import { MethodTable } from '../src/methods.ts';

describe('bearers', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearer a b', null],
    ['Bearer a,Bearer b', null],
    ['Basic abc', null],
    ['Bearerabc', null],
    [undefined, null],
  ])('%s', (field, token) => {
    expect(bearerToken(field)).toBe(token);
  });

  test('compare by value, whatever the lengths', () => {
    expect(secretsEqual('abc', 'abc')).toBe(true);
    for (const other of ['abd', 'ab', 'abcd', '', 'ABC']) expect(secretsEqual('abc', other)).toBe(false);
    expect(secretHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('origins', () => {
  const policy = { publicUrl: () => 'https://postern.example/', trustedHosts: ['hub.internal'] };

  test.each([
    [undefined, true],
    ['https://postern.example', true],
    ['http://postern.example:81', true],
    ['http://localhost:6274', true],
    ['http://[::1]:1', true],
    ['https://hub.internal', true],
    ['https://evil.example', false],
    ['https://postern.example.evil.example', false],
    ['null', false],
    ['', false],
    ['file://', false],
  ])('without ambient credentials: %s', (origin, expected) => {
    expect(isOwnOrigin(origin, policy)).toBe(expected);
  });

  test.each([
    ['https://postern.example', 'postern.example', true],
    ['http://127.0.0.1:8080', '127.0.0.1:8080', true],
    ['https://hub.internal', 'hub.internal', true],
    ['http://127.0.0.1:8081', '127.0.0.1:8080', false],
    ['http://localhost:8080', '127.0.0.1:8080', false],
    ['https://evil.example', 'evil.example', false],
    ['null', '127.0.0.1:8080', false],
    [undefined, '127.0.0.1:8080', false],
    ['https://postern.example', undefined, true],
  ])('with a cookie: %s asks %s', (origin, host, expected) => {
    expect(isSameOrigin(origin, host, policy)).toBe(expected);
  });
});

describe('JSON', () => {
  const parse = (text: string) => parseJson(Buffer.from(text));

  test('is what JSON.parse reads, with brackets and quotes inside strings', () => {
    const value = { 'a"[{': ['\\', '\\"]', '}]'.repeat(100), { b: null }] };
    expect(parse(JSON.stringify(value))).toEqual(value);
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  test('nests up to the limit and no deeper', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parse(nested(MAX_JSON_DEPTH))).not.toThrow();
    expect(() => parse(nested(MAX_JSON_DEPTH + 1))).toThrow('nests deeper');
    expect(() => parse(JSON.stringify('['.repeat(1_000)))).not.toThrow();
    expect(() => parse('"\\'.repeat(10))).toThrow('not valid JSON');
    expect(() => parse('"unended [[[')).toThrow('not valid JSON');
    expect(() => parse(']]]]')).toThrow('not valid JSON');
  });
});

test('the methods of a path are those of the route it is, else of every route that matches it', () => {
  const table = new MethodTable();
  table.add('GET', '/messages/:id');
  table.add(['POST'], '/messages/send');
  table.add('GET', '/console/*');
  table.add('DELETE', '/messages/:id');
  expect(table.allowed('/messages/send')).toEqual(['OPTIONS', 'POST']);
  expect(table.isMisrouted('/messages/:id', '/messages/send')).toBe(true);
  expect(table.isMisrouted('/messages/send', '/messages/send')).toBe(false);
  expect(table.isMisrouted('/messages/:id', '/messages/sent')).toBe(false);
  expect(table.allowed('/messages/a.b:c')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS']);
  expect(table.allowed('/messages')).toEqual([]);
  expect(table.allowed('/console/assets/x.js')).toEqual(['GET', 'HEAD', 'OPTIONS']);
});
