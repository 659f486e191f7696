import { connect as connectTcp, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type Capabilities, NO_CAPABILITIES, parseCapabilities } from './capabilities.ts';
import { type Reply, SmtpProtocolError } from './reply.ts';
import { Session, type SmtpSession } from './session.ts';
import { DEFAULT_TIMEOUTS, type SmtpTimeouts } from './timeouts.ts';
import { Wire, type WireEnd, WireEndedError } from './wire.ts';

/** From nothing to a session that takes mail: connection, greeting, EHLO, TLS, AUTH. */

/**
 * `implicit`: TLS from the first byte (port 465, RFC 8314). `required`: STARTTLS with a valid certificate, or
 * nothing is sent. `opportunistic`: STARTTLS where it works, with any certificate (RFC 7435). `none`: never.
 */
export type TlsPolicy = 'none' | 'opportunistic' | 'required' | 'implicit';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsPolicy;
  /** Only ever sent under TLS, or to a loopback address. */
  readonly auth?: { readonly user: string; readonly password: string } | undefined;
  /** What EHLO says: a fully qualified name, or an address literal. */
  readonly name: string;
  readonly timeouts?: Partial<SmtpTimeouts> | undefined;
  /** Certificates to trust and the like. */
  readonly tlsOptions?: Pick<ConnectionOptions, 'ca' | 'servername' | 'rejectUnauthorized'> | undefined;
  /** Gives up connecting; has no hold on the session once that stands. */
  readonly signal?: AbortSignal | undefined;
  /** Opens the byte stream in place of a TCP connection; the promise settles when it stands. */
  readonly openStream?: ((target: StreamTarget) => Promise<Duplex>) | undefined;
}

export interface StreamTarget {
  readonly host: string;
  readonly port: number;
  /** Aborted when the time to connect is over, or nobody wants the connection any more. */
  readonly signal: AbortSignal;
}

export type SmtpConnectFault =
  /** No connection, or it was lost before the session stood. */
  | 'unreachable'
  /** TLS is required and was not had. */
  | 'tls'
  /** The server did not take the credentials, or they may not be sent. */
  | 'auth'
  /** The server turned the client away, for now (4xx) or at all (5xx). */
  | 'rejected'
  /** What answers is no SMTP server. */
  | 'protocol';

/** A session that did not come about. */
export class SmtpConnectError extends Error {
  override readonly name = 'SmtpConnectError';
  readonly fault: SmtpConnectFault;
  /** The reply that ended it, if one did. */
  readonly reply: Reply | undefined;

  constructor(fault: SmtpConnectFault, message: string, options: { reply?: Reply; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = fault;
    this.reply = options.reply;
  }
}

const EHLO_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$|^\[[A-Za-z0-9:.]+\]$/;

/** @throws TypeError when a server could not be greeted by the name. */
export function assertEhloName(name: string): void {
  if (!EHLO_NAME.test(name) || name.length > 255) {
    throw new TypeError('The name for EHLO is neither a host name nor an address literal');
  }
}

/** @throws SmtpConnectError (rejects); TypeError when the name is none. */
export async function connectSmtp(options: SmtpOptions): Promise<SmtpSession> {
  assertEhloName(options.name);
  try {
    return await establish(options, options.tls);
  } catch (error) {
    const fault = toConnectError(error);
    // Servers with broken TLS take mail in clear, which is all that this policy asks for.
    const clear = options.tls === 'opportunistic' && fault.fault === 'tls' && options.auth === undefined;
    if (!clear || options.signal?.aborted === true) throw fault;
    return await establish(options, 'none').catch((second: unknown) => {
      throw toConnectError(second);
    });
  }
}

async function establish(options: SmtpOptions, tls: TlsPolicy): Promise<SmtpSession> {
  const timeouts: SmtpTimeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const stream = await openStream(options, tls, limited(options, timeouts.connect));
  let session: Session | undefined;
  let ended: WireEnd | undefined;
  const wire = new Wire(stream, (end) => {
    ended = end;
    session?.wireEnded(end);
  });
  const giveUp = () => wire.end('The connection is no longer wanted');
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const { capabilities, secure } = await handshake(wire, options, tls, timeouts);
    if (ended !== undefined) throw new WireEndedError(ended);
    session = new Session({ wire, capabilities, secure, timeouts });
    return session;
  } catch (error) {
    wire.end('The session did not come about');
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

function limited({ signal }: SmtpOptions, milliseconds: number): AbortSignal {
  const timeout = AbortSignal.timeout(milliseconds);
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
}

async function handshake(wire: Wire, options: SmtpOptions, tls: TlsPolicy, timeouts: SmtpTimeouts) {
  const greeting = await wire.command('the connection', '', timeouts.greeting);
  if (greeting.code !== 220) throw rejected(greeting);
  let capabilities = await sayHello(wire, options.name, timeouts);
  let secure = tls === 'implicit';
  if (tls === 'opportunistic' || tls === 'required') {
    secure = await startTls(wire, options, capabilities, timeouts);
    if (!secure && tls === 'required') {
      throw new SmtpConnectError('tls', 'The server does not offer STARTTLS, and TLS is required');
    }
    // All that was said in clear is forgotten, also what the server offered (RFC 3207 section 4.2).
    if (secure) capabilities = await sayHello(wire, options.name, timeouts);
  }
  if (options.auth !== undefined)
    await authenticate(wire, options, options.auth, capabilities, secure, timeouts);
  return { capabilities, secure };
}

async function sayHello(wire: Wire, name: string, timeouts: SmtpTimeouts): Promise<Capabilities> {
  const ehlo = await wire.command('EHLO', `EHLO ${name}`, timeouts.command);
  if (ehlo.code === 250) return parseCapabilities(ehlo.lines);
  if (ehlo.code < 500) throw rejected(ehlo);
  const helo = await wire.command('HELO', `HELO ${name}`, timeouts.command);
  if (helo.code !== 250) throw rejected(helo);
  return NO_CAPABILITIES;
}

/** @returns whether the connection is under TLS now; false when the server does not want it. */
async function startTls(
  wire: Wire,
  options: SmtpOptions,
  capabilities: Capabilities,
  timeouts: SmtpTimeouts,
): Promise<boolean> {
  if (!capabilities.startTls) return false;
  const reply = await wire.command('STARTTLS', 'STARTTLS', timeouts.command, 220);
  if (reply.code !== 220) {
    if (options.tls !== 'required') return false;
    throw new SmtpConnectError('tls', `The server refused STARTTLS: ${reply.code} ${reply.text}`, { reply });
  }
  wire.replace(await secureStream(options, wire.stream, limited(options, timeouts.command)));
  return true;
}

async function openStream(options: SmtpOptions, tls: TlsPolicy, signal: AbortSignal): Promise<Duplex> {
  const { host, port } = options;
  let stream: Duplex;
  try {
    stream = await (options.openStream ?? openTcp)({ host, port, signal });
  } catch (cause) {
    throw new SmtpConnectError('unreachable', `No connection to ${host}:${port}`, { cause });
  }
  return tls === 'implicit' ? secureStream(options, stream, signal) : stream;
}

function openTcp({ host, port, signal }: StreamTarget): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    // With Nagle's algorithm a small command would wait for the reply to the one before. Probes keep the connection
    // known to routers while a server takes minutes to answer.
    const socket = connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
    const expire = () => socket.destroy(new Error('The time to connect is over'));
    signal.addEventListener('abort', expire, { once: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', expire);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** TLS over a stream; rejects with fault `tls`, and the stream is destroyed then. */
function secureStream(options: SmtpOptions, stream: Duplex, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket: stream,
      minVersion: 'TLSv1.2',
      ...(isIP(options.host) === 0 ? { servername: options.host } : {}),
      // An unverified certificate keeps out those who only listen, which plain text does not.
      rejectUnauthorized: options.tls !== 'opportunistic',
      ...options.tlsOptions,
    });
    const fail = (error?: Error) => {
      signal.removeEventListener('abort', expire);
      secured.on('error', () => undefined);
      secured.destroy();
      stream.destroy();
      const why = error === undefined ? 'the server closed the connection' : error.message;
      reject(new SmtpConnectError('tls', `TLS with ${options.host} failed: ${why}`, { cause: error }));
    };
    const closed = () => fail();
    const expire = () => fail(new Error('no answer in time'));
    signal.addEventListener('abort', expire, { once: true });
    secured.once('error', fail);
    secured.once('close', closed);
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', expire);
      secured.off('error', fail);
      secured.off('close', closed);
      resolve(secured);
    });
  });
}

async function authenticate(
  wire: Wire,
  options: SmtpOptions,
  { user, password }: { readonly user: string; readonly password: string },
  { auth }: Capabilities,
  secure: boolean,
  timeouts: SmtpTimeouts,
): Promise<void> {
  if (!secure && !isLoopback(options.host)) {
    throw new SmtpConnectError('auth', 'The password is not sent, as the connection is not under TLS');
  }
  const say = (line: string) => wire.command('AUTH', line, timeouts.command);
  const encode = (text: string) => Buffer.from(text).toString('base64');
  let reply: Reply;
  if (auth.includes('PLAIN')) reply = await say(`AUTH PLAIN ${encode(`\0${user}\0${password}`)}`);
  else if (auth.includes('LOGIN')) {
    reply = await say('AUTH LOGIN');
    if (reply.code === 334) reply = await say(encode(user));
    if (reply.code === 334) reply = await say(encode(password));
  } else throw new SmtpConnectError('auth', 'The server offers neither AUTH PLAIN nor AUTH LOGIN');
  if (reply.code === 235) return;
  // 454 and other 4xx: it cannot tell now, which says nothing against the password.
  if (reply.code < 500) throw rejected(reply);
  throw new SmtpConnectError('auth', `The server did not take the credentials: ${reply.code} ${reply.text}`, {
    reply,
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function rejected(reply: Reply): SmtpConnectError {
  return new SmtpConnectError('rejected', `The server turned us away: ${reply.code} ${reply.text}`, {
    reply,
  });
}

function toConnectError(error: unknown): SmtpConnectError {
  if (error instanceof SmtpConnectError) return error;
  const protocol = error instanceof WireEndedError && error.cause instanceof SmtpProtocolError;
  const message = error instanceof Error ? error.message : String(error);
  return new SmtpConnectError(protocol ? 'protocol' : 'unreachable', message, { cause: error });
}
