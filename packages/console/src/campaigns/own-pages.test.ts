import { expect, test } from 'vitest';
import { ownPages } from './own-pages.ts';

test('the pages that a mail leads to are found wherever it names them, each once', () => {
  const base = 'https://gate.example/mail/p';
  const pages = ownPages({
    headers: [
      ['List-Unsubscribe', `<${base}/u/1uAB-c_d>`],
      ['Subject', 'https://gate.example/p/c/1cAB/0'],
    ],
    text: `Preferences: ${base}/s/1sAB.\nUnsubscribe: ${base}/u/1uAB-c_d`,
    html: `<a href="${base}/v/1vAB">On the web</a> <a href="https://shop.example/p/x/1">Shop</a>`,
  });
  expect(pages).toEqual([
    { name: 'Unsubscribe', address: `${base}/u/1uAB-c_d` },
    { name: 'Preferences', address: `${base}/s/1sAB` },
    { name: 'View on the web', address: `${base}/v/1vAB` },
  ]);
  expect(ownPages({ headers: [], text: null, html: null })).toEqual([]);
});
