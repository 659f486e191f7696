import { chmod } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { Log } from '@postern/http/mcp';
import type { Clock, Random } from '@postern/kit';
import { type BridgeCall, type BridgeConnection, serveConnection } from './connection.ts';
import { type CallRate, callRate } from './rate.ts';
import { socketPlace } from './socket-place.ts';
import { sessionTokens } from './tokens.ts';

/** The socket through which the tools' servers of all sessions reach the bot. */

export interface BridgeOptions {
  /** Folder for the socket; made, private to the owner. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Runs a tool for a session; the signal aborts when the call is cancelled or its server goes away. */
  handle(
    sessionId: string,
    call: BridgeCall,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export interface Bridge {
  /** Lets the session's tools' server in; a token issued earlier for the session ends with it. */
  register(sessionId: string): { readonly socketPath: string; readonly token: string };
  /** Ends the session's token and connections; its calls are cancelled. */
  revoke(sessionId: string): void;
  close(): Promise<void>;
}

/** Time for a new connection to show its token. */
const HELLO_MS = 5_000;
/** Connections that have not shown a token yet. */
const MAX_STRANGERS = 64;
/** An agent's program may start its server anew before the old one is gone. */
const MAX_CONNECTIONS_PER_SESSION = 4;
const MAX_CALLS_AT_ONCE = 32;
const CALL_RATE = { burst: 60, perSecond: 10 };

interface SessionState {
  readonly connections: Set<BridgeConnection>;
  readonly rate: CallRate;
  running: number;
}

/** @throws Error when the socket cannot be made. */
export async function openBridge(options: BridgeOptions): Promise<Bridge> {
  const { clock, log } = options;
  const tokens = sessionTokens(options.random);
  const sessions = new Map<string, SessionState>();
  const sockets = new Set<Socket>();
  let strangers = 0;

  const accept = (socket: Socket) => {
    if (strangers >= MAX_STRANGERS) return socket.destroy();
    sockets.add(socket);
    strangers += 1;
    const patience = new AbortController();
    const known = () => {
      if (patience.signal.aborted) return;
      patience.abort();
      strangers -= 1;
    };
    const connection = serveConnection(socket, {
      clock,
      log,
      handle: options.handle,
      admit(token, own) {
        const sessionId = tokens.sessionOf(token);
        const session = sessionId === null ? undefined : sessions.get(sessionId);
        if (sessionId === null || session === undefined) return { reason: 'the token is not known' };
        if (session.connections.size >= MAX_CONNECTIONS_PER_SESSION)
          return { reason: 'too many connections' };
        session.connections.add(own);
        socket.once('close', () => session.connections.delete(own));
        known();
        return { sessionId };
      },
      begin(sessionId) {
        const session = sessions.get(sessionId);
        if (session === undefined) return { reason: 'The session has ended.' };
        if (session.running >= MAX_CALLS_AT_ONCE) return { reason: 'Too many calls at once; wait for some.' };
        if (!session.rate.take()) return { reason: 'Too many calls; wait a few seconds.' };
        session.running += 1;
        return {
          end: () => {
            session.running -= 1;
          },
        };
      },
    });
    socket.once('close', () => {
      sockets.delete(socket);
      known();
    });
    void clock.sleep(HELLO_MS, patience.signal).then(() => {
      if (!patience.signal.aborted) connection.close();
    });
  };

  const place = await socketPlace(options.folder);
  const server = createServer(accept);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => log.error({ err: error }, 'the socket of the bridge failed'));
  if (process.platform !== 'win32') await chmod(place.path, 0o600);

  const revoke = (sessionId: string) => {
    tokens.revoke(sessionId);
    const connections = sessions.get(sessionId)?.connections ?? [];
    sessions.delete(sessionId);
    for (const connection of [...connections]) connection.close();
  };
  return {
    register(sessionId) {
      revoke(sessionId);
      sessions.set(sessionId, { connections: new Set(), rate: callRate(clock, CALL_RATE), running: 0 });
      return { socketPath: place.path, token: tokens.issue(sessionId) };
    },
    revoke,
    async close() {
      for (const sessionId of [...sessions.keys()]) revoke(sessionId);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      await place.remove();
    },
  };
}
