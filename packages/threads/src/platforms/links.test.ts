import { describe, expect, test } from 'vitest';
import { segmentsBelow } from './links.ts';

const BASE = 'https://chat.example.com/team';

describe('a link below an address', () => {
  test.each([
    'https://chat.example.com/team/pl/abc',
    'https://chat.example.com/team/pl/abc/',
    'https://chat.example.com:443/team/pl/abc?thread=1#end',
    '<https://chat.example.com/team/pl/abc>',
    ' <https://chat.example.com/team/pl/abc|the post> ',
    'HTTPS://CHAT.example.com/team/pl/abc',
    'https://chat.example.com/team/../team/pl/%61bc',
  ])('%s names its path', (link) => {
    expect(segmentsBelow(link, BASE)).toEqual(['pl', 'abc']);
    expect(segmentsBelow(link, `${BASE}/`)).toEqual(['pl', 'abc']);
  });

  test.each([
    'https://chat.example.com.evil.example/team/pl/abc',
    'https://evil.example/team/pl/abc',
    'https://evil.example/?https://chat.example.com/team/pl/abc',
    'https://chat.example.com@evil.example/team/pl/abc',
    'https://user:secret@chat.example.com/team/pl/abc',
    'http://chat.example.com/team/pl/abc',
    'https://chat.example.com:8443/team/pl/abc',
    'https://chаt.example.com/team/pl/abc',
    'https://chat.example.com/pl/abc',
    'https://chat.example.com/teammate/pl/abc',
    'https://chat.example.com/team/../other/pl/abc',
    'https://chat.example.com\\@evil.example/team/pl/abc',
    'https://chat.example.com/team/pl/%ff',
    'javascript:alert(1)',
    'file:///team/pl/abc',
    '<https://evil.example|https://chat.example.com/team/pl/abc>',
    'see https://chat.example.com/team/pl/abc',
    'team/pl/abc',
    '',
  ])('%s is not one', (link) => {
    expect(segmentsBelow(link, BASE)).toBeNull();
  });

  test('an address without a path has all of the host below it', () => {
    expect(segmentsBelow('http://127.0.0.1:8080/chat/a', 'http://127.0.0.1:8080')).toEqual(['chat', 'a']);
    expect(segmentsBelow('http://127.0.0.1:8080', 'http://127.0.0.1:8080')).toEqual(['']);
  });
});
