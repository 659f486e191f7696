import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createServer, problemDialect, silentLog } from '@postern/http';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { mountConsolePage } from './page.ts';

const publicUrl = () => 'http://127.0.0.1:8080';
const opened: { app: FastifyInstance; folder: string }[] = [];

afterEach(async () => {
  for (const { app, folder } of opened.splice(0)) {
    await app.close();
    rmSync(folder, { recursive: true });
  }
});

function serverOf(files: Record<string, string>): FastifyInstance {
  const folder = mkdtempSync(join(tmpdir(), 'postern-page-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const directory = pathToFileURL(`${folder}/`);
  const problem = problemDialect({ publicUrl });
  const app = createServer({ log: silentLog, publicUrl, dialectFor: () => problem });
  mountConsolePage(app, problem, {
    directory,
    index: new URL('index.html', directory),
    immutablePrefix: 'assets/',
  });
  opened.push({ app, folder });
  return app;
}

const BUILD = {
  'index.html': '<!doctype html>the page',
  'assets/index-abc.js': 'run()',
  'favicon.svg': '<svg/>',
};

const get = (app: FastifyInstance, url: string, headers: Record<string, string> = {}) =>
  app.inject({ url, headers: { host: 'localhost', ...headers } });

test('every address of the page answers the page, afresh and under a strict policy', async () => {
  const app = serverOf(BUILD);
  for (const path of [
    '/console',
    '/console/',
    '/console/inbox/quarantine',
    '/console/login',
    '/chat/desk/post_1',
  ]) {
    const answer = await get(app, path);
    expect([path, answer.statusCode, answer.body]).toEqual([path, 200, BUILD['index.html']]);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
      ),
    });
  }
  expect((await get(app, '/')).headers.location).toBe('/console');
});

test('files named by their content are kept for ever, others are asked after', async () => {
  const app = serverOf(BUILD);
  const script = await get(app, '/console/assets/index-abc.js');
  expect([script.statusCode, script.body]).toEqual([200, 'run()']);
  expect(script.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
  });
  const icon = await get(app, '/console/favicon.svg');
  expect([icon.headers['cache-control'], icon.headers['content-type']]).toEqual([
    'no-cache',
    'image/svg+xml',
  ]);
  const again = await get(app, '/console/favicon.svg', { 'if-none-match': String(icon.headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('the frame for mails with pictures may load those, and nothing else', async () => {
  const app = serverOf({ ...BUILD, 'mail-frame.html': '<!doctype html>' });
  const { headers } = await get(app, '/console/mail-frame.html');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; img-src http: https: data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
});

test('what is missing from the build, or outside of it, is not there', async () => {
  const app = serverOf(BUILD);
  for (const path of [
    '/console/assets/index-old.js',
    '/console/api/nothing',
    '/console/..%2f..%2fpackage.json',
  ]) {
    const answer = await get(app, path);
    if (answer.statusCode === 200) expect(answer.body).toBe(BUILD['index.html']);
    else expect([path, answer.json().code]).toEqual([path, 'not_found']);
  }
});

test('without a build the page says how to make one', async () => {
  const answer = await get(serverOf({}), '/console/inbox');
  expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('npm run prepare')]);
});
