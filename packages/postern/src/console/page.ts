import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConsoleAssets, consoleAssets, MAIL_FRAME, MAIL_FRAME_HEADERS } from '@postern/console';
import { commonFailure, type ErrorDialect } from '@postern/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendPlainPage } from '../hub/plain-page.ts';

/**
 * The built page under `/console`, and under `/chat/…` for permalinks. Its few files are read once and served
 * from memory, so no path of a request ever reaches the file system.
 */

/** Everything comes from this server, and no script or style stands in the page itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The build is some hundred kB; more than this is not the console. */
const LARGEST_BUILD = 64 * 1_048_576;

interface Asset {
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly tag: string;
  readonly immutable: boolean;
  /** What is not as for the rest of the page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether `npm run prepare` has built the page. */
export function isConsoleBuilt(assets: ConsoleAssets = consoleAssets()): boolean {
  return readBuild(assets).has('index.html');
}

export function mountConsolePage(
  app: FastifyInstance,
  dialect: ErrorDialect,
  assets: ConsoleAssets = consoleAssets(),
): void {
  const files = readBuild(assets);
  const page = files.get('index.html');

  const sendPage = (request: FastifyRequest, reply: FastifyReply) =>
    page === undefined
      ? sendPlainPage(
          reply,
          503,
          'The console is not built',
          '<p>Run <code>npm run prepare</code> and restart Postern.</p>',
        )
      : sendAsset(request, reply, page);

  app.get('/', (_request, reply) => reply.redirect('/console', 302));
  app.get('/console', sendPage);
  app.get('/chat/:channel/:message', sendPage);
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    if (file !== undefined) return sendAsset(request, reply, file);
    // Addresses inside the page are its own; a missing file of the build is a fault and must look like one.
    if (path === 'api' || path.startsWith('api/') || path.startsWith(assets.immutablePrefix)) {
      throw commonFailure(dialect, 'not_found', 'Nothing is at this address.');
    }
    return sendPage(request, reply);
  });
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  reply.headers({
    'cache-control': asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: asset.tag,
    'content-security-policy': POLICY,
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    ...asset.headers,
  });
  if (request.headers['if-none-match'] === asset.tag) return reply.code(304).send();
  return reply.header('content-type', asset.mediaType).send(asset.bytes);
}

function readBuild(assets: ConsoleAssets): Map<string, Asset> {
  const folder = fileURLToPath(assets.directory);
  const files = new Map<string, Asset>();
  let total = 0;
  for (const path of filesBelow(folder)) {
    const bytes = readFileSync(path);
    total += bytes.length;
    if (total > LARGEST_BUILD) throw new Error(`${folder} holds more than a console build`);
    const name = relative(folder, path).split(sep).join('/');
    files.set(name, {
      bytes,
      mediaType: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
      tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
      immutable: name.startsWith(assets.immutablePrefix),
      ...(name === MAIL_FRAME && { headers: MAIL_FRAME_HEADERS }),
    });
  }
  return files;
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
