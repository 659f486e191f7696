import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../src/addresses.ts';
import { type FetchFault, type SafeFetchError, type SafeFetchOptions, safeFetch } from '../src/safe-fetch.ts';

let server: Server;
let port: number;
const requests: { path: string; headers: IncomingMessage['headers'] }[] = [];

function serve(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://x');
  requests.push({ path: url.pathname, headers: request.headers });
  switch (url.pathname) {
    case '/redirect':
      response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end('moved');
      return;
    case '/loop':
      response.writeHead(302, { location: '/loop' }).end();
      return;
    case '/huge':
      response.writeHead(200, { 'content-length': '5000000' });
      if (request.method === 'HEAD') response.end();
      else response.write('x');
      return;
    case '/endless': {
      const more = () => {
        while (!response.destroyed && response.write('y'.repeat(10_000)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      return;
    }
    case '/silent':
      return;
    case '/drip':
      response.write('a');
      return;
    case '/reset':
      request.socket.destroy();
      return;
    case '/echo': {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk)).on('end', () => response.end(Buffer.concat(chunks)));
      return;
    }
    default:
      response
        .writeHead(url.pathname === '/missing' ? 404 : 200, {
          'content-type': 'text/plain',
          'x-twice': ['a', 'b'],
        })
        .end('hello');
  }
}

beforeAll(async () => {
  server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const bounds = { maxBytes: 100_000, deadlineMs: 5_000 } satisfies SafeFetchOptions;
const local = { ...bounds, allowLoopback: true } satisfies SafeFetchOptions;

async function faultOf(url: string, options: SafeFetchOptions = bounds): Promise<FetchFault | 'fetched'> {
  try {
    await (await safeFetch(url, options)).bytes();
    return 'fetched';
  } catch (error) {
    return (error as SafeFetchError).fault;
  }
}

/** A resolver that gives one answer after the other, and counts. */
function answers(...given: string[][]) {
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return given[Math.min(asked, given.length) - 1] ?? [];
  };
  return { resolve, asked: () => asked };
}

describe('addresses', () => {
  test.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001:800::200e', '::ffff:8.8.8.8'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'not an address',
    '',
    '1.2.3',
    'fe80::1%eth0',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test('loopback is, where it is allowed, and nothing else with it', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(isPublicAddress(address, { allowLoopback: true })).toBe(true);
    for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', 'fe80::1'])
      expect(isPublicAddress(address, { allowLoopback: true })).toBe(false);
  });
});

describe('what is not fetched', () => {
  test.each([
    ['another scheme', 'file:///etc/passwd', 'bad_url'],
    ['another scheme yet', 'gopher://127.0.0.1:70/x', 'bad_url'],
    ['no URL', 'hello', 'bad_url'],
    ['no host', 'http://', 'bad_url'],
    ['a user name', 'http://user:pass@93.184.216.34/', 'bad_url'],
    ['a user name that looks like a host', 'http://example.com@127.0.0.1/', 'bad_url'],
    ['loopback', 'http://127.0.0.1/', 'not_allowed'],
    ['loopback by a short form', 'http://127.1/', 'not_allowed'],
    ['loopback in decimal', 'http://2130706433/', 'not_allowed'],
    ['loopback in octal', 'http://0177.0.0.1/', 'not_allowed'],
    ['loopback in hexadecimal', 'http://0x7f000001/', 'not_allowed'],
    ['loopback in full-width digits', 'http://１２７.０.０.１/', 'not_allowed'],
    ['loopback in IPv6', 'http://[::1]/', 'not_allowed'],
    ['IPv4-mapped IPv6', 'http://[::ffff:127.0.0.1]/', 'not_allowed'],
    ['IPv4-mapped IPv6 in hexadecimal', 'http://[::ffff:7f00:1]/', 'not_allowed'],
    ['NAT64 of a private address', 'http://[64:ff9b::10.0.0.1]/', 'not_allowed'],
    ['the metadata service', 'http://169.254.169.254/latest/meta-data', 'not_allowed'],
    ['"this network"', 'http://0/', 'not_allowed'],
  ] as const)('%s', async (_, url, fault) => {
    expect(await faultOf(url)).toBe(fault);
  });

  test('a name that leads to a private address', async () => {
    expect(await faultOf('http://inside.example/', { ...bounds, ...answers(['10.1.2.3']) })).toBe(
      'not_allowed',
    );
  });

  test('a name with a public and a private address', async () => {
    expect(
      await faultOf('http://both.example/', { ...bounds, ...answers(['93.184.216.34', '127.0.0.1']) }),
    ).toBe('not_allowed');
  });

  test('a name without an address', async () => {
    expect(await faultOf('http://void.example/', { ...bounds, ...answers([]) })).toBe('unresolvable');
  });

  test('a name the system does not know', async () => {
    expect(await faultOf('http://nowhere.invalid/')).toBe('unresolvable');
  });
});

describe('names that change their answer', () => {
  test('are asked once, and the checked address is the one connected to', async () => {
    const { resolve, asked } = answers(['127.0.0.1'], ['10.0.0.1']);
    const response = await safeFetch(`http://rebind.example:${port}/`, { ...local, resolve });
    expect([(await response.bytes()).toString(), asked()]).toEqual(['hello', 1]);
    expect(requests.at(-1)?.headers.host).toBe(`rebind.example:${port}`);
  });

  test('are checked again when a redirect leads to them', async () => {
    const { resolve, asked } = answers(['127.0.0.1'], ['10.0.0.1']);
    const before = requests.length;
    expect(await faultOf(`http://rebind.example:${port}/redirect?to=/`, { ...local, resolve })).toBe(
      'not_allowed',
    );
    expect([requests.length - before, asked()]).toEqual([1, 2]);
  });

  test('never lead to this machine when loopback is not allowed, first public or not', async () => {
    const before = requests.length;
    const { resolve } = answers(['93.184.216.34'], ['127.0.0.1']);
    expect(await faultOf(`http://rebind.example:${port}/`, { ...bounds, deadlineMs: 200, resolve })).toMatch(
      /too_slow|unreachable/,
    );
    expect(requests.length).toBe(before);
  });
});

describe('redirects', () => {
  const redirect = (to: string) => `http://127.0.0.1:${port}/redirect?to=${encodeURIComponent(to)}`;

  test.each([
    ['a private address', 'http://192.168.0.1/', 'not_allowed'],
    ['the metadata service', 'http://169.254.169.254/', 'not_allowed'],
    ['another scheme', 'file:///etc/passwd', 'bad_url'],
    ['a user name', 'http://a:b@example.com/', 'bad_url'],
    ['nonsense', 'http://[', 'bad_url'],
  ] as const)('to %s are not followed', async (_, to, fault) => {
    expect(await faultOf(redirect(to), local)).toBe(fault);
  });

  test('are followed, relative ones too, and the last address is told', async () => {
    const response = await safeFetch(redirect('/redirect?to=/done'), local);
    expect([response.status, response.url]).toEqual([200, `http://127.0.0.1:${port}/done`]);
    await response.discard();
  });

  test('end after the limit', async () => {
    expect(await faultOf(`http://127.0.0.1:${port}/loop`, { ...local, maxRedirects: 3 })).toBe(
      'too_many_redirects',
    );
  });

  test('are an answer when none is to be followed', async () => {
    const response = await safeFetch(redirect('/'), { ...local, maxRedirects: 0 });
    expect([response.status, response.headers.location]).toEqual([302, '/']);
    await response.discard();
    const post = await safeFetch(redirect('/'), { ...local, method: 'POST', body: 'x' });
    expect(post.status).toBe(302);
    await post.discard();
  });

  test("to another origin go without the caller's header fields", async () => {
    const headers = { authorization: 'Bearer secret' };
    const { resolve } = answers(['127.0.0.1']);
    await (await safeFetch(redirect('/same'), { ...local, headers })).discard();
    expect(requests.at(-1)).toMatchObject({ path: '/same', headers });
    await (
      await safeFetch(redirect(`http://other.example:${port}/other`), { ...local, headers, resolve })
    ).discard();
    expect(requests.at(-1)?.headers).not.toHaveProperty('authorization');
  });
});

describe('bounds', () => {
  test('a body that says it is too large is not read', async () => {
    expect(await faultOf(`http://127.0.0.1:${port}/huge`, local)).toBe('too_large');
  });

  test('a body without end is cut off', async () => {
    expect(await faultOf(`http://127.0.0.1:${port}/endless`, local)).toBe('too_large');
  });

  test.each(['/silent', '/drip'])('a server that is slow (%s) is given up', async (path) => {
    expect(await faultOf(`http://127.0.0.1:${port}${path}`, { ...local, deadlineMs: 100 })).toBe('too_slow');
  });

  test('a resolver that never answers too', async () => {
    expect(
      await faultOf('http://slow.example/', {
        ...bounds,
        deadlineMs: 50,
        resolve: () => new Promise(() => {}),
      }),
    ).toBe('too_slow');
  });

  test('a caller can give up', async () => {
    const away = new AbortController();
    const fault = faultOf(`http://127.0.0.1:${port}/silent`, { ...local, signal: away.signal });
    away.abort();
    expect(await fault).toBe('aborted');
  });

  test('a connection that breaks, or is refused, is unreachable', async () => {
    expect(await faultOf(`http://127.0.0.1:${port}/reset`, local)).toBe('unreachable');
    expect(await faultOf('http://127.0.0.1:1/', local)).toBe('unreachable');
  });
});

test('any status is an answer, with header fields and body', async () => {
  const response = await safeFetch(`http://127.0.0.1:${port}/missing`, local);
  expect([response.status, response.headers['content-type'], response.headers['x-twice']]).toEqual([
    404,
    'text/plain',
    'a, b',
  ]);
  expect((await response.bytes()).toString()).toBe('hello');
});

test('a body is sent', async () => {
  const response = await safeFetch(`http://127.0.0.1:${port}/echo`, {
    ...local,
    method: 'POST',
    body: 'ünï',
  });
  expect((await response.bytes()).toString()).toBe('ünï');
});

test('HEAD of something large is fine', async () => {
  const response = await safeFetch(`http://127.0.0.1:${port}/missing`, {
    ...local,
    method: 'HEAD',
    maxBytes: 2,
  });
  expect([response.status, (await response.bytes()).length]).toEqual([404, 0]);
});
