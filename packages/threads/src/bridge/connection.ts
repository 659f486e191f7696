import type { Socket } from 'node:net';
import type { Log } from '@postern/http/mcp';
import type { Clock } from '@postern/kit';
import { readLines, writeLine } from './lines.ts';
import {
  BEAT_MS,
  type FromBot,
  type FromClient,
  fromClient,
  MAX_HELLO_BYTES,
  MAX_MESSAGE_BYTES,
} from './protocol.ts';

/** One connection of a tools' server, on the bot's side. */

export interface BridgeCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ConnectionPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** The session of a token, when one more connection of it is welcome; else a sentence. */
  admit(token: string, connection: BridgeConnection): { sessionId: string } | { reason: string };
  /** Whether the session may begin one more call now; else a sentence. */
  begin(sessionId: string): { end(): void } | { reason: string };
  handle(
    sessionId: string,
    call: BridgeCall,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

export interface BridgeConnection {
  /** Ends it; its calls are cancelled. */
  close(): void;
}

const BAD_MESSAGE = 'a message is not of this protocol';

export function serveConnection(socket: Socket, ports: ConnectionPorts): BridgeConnection {
  const calls = new Map<number, AbortController>();
  const gone = new AbortController();
  let sessionId: string | null = null;
  let isBeating = false;

  const say = (message: FromBot) => writeLine(socket, message);
  const cancelAll = (reason: string) => {
    gone.abort(new DOMException(reason, 'AbortError'));
    for (const call of calls.values()) call.abort(gone.signal.reason);
  };
  const close = () => {
    cancelAll('the connection is closed');
    socket.destroy();
  };
  const end = (reason: string) => {
    ports.log.warn({ reason, sessionId }, 'the server of the tools is cut off');
    say({ type: 'refused', reason });
    cancelAll(reason);
    socket.destroySoon();
  };

  /** Says that the bot lives, as long as anybody waits for it. */
  const beat = async () => {
    if (isBeating) return;
    isBeating = true;
    while (calls.size > 0 && !gone.signal.aborted) {
      await ports.clock.sleep(BEAT_MS, gone.signal);
      if (calls.size > 0) say({ type: 'beat' });
    }
    isBeating = false;
  };

  const run = async (session: string, { id, tool, input }: Extract<FromClient, { type: 'call' }>) => {
    if (calls.has(id)) return end('an id was used twice');
    const turn = ports.begin(session);
    if ('reason' in turn) return say({ type: 'failed', id, reason: turn.reason });
    const abort = new AbortController();
    calls.set(id, abort);
    void beat();
    try {
      const answer = await ports.handle(session, { tool, input }, abort.signal);
      if (!abort.signal.aborted) say({ type: 'answer', id, answer: { ...answer } });
    } catch (error) {
      if (abort.signal.aborted) return;
      ports.log.error({ err: error, sessionId: session, tool }, 'a tool failed unexpectedly');
      say({ type: 'failed', id, reason: 'An unexpected error occurred.' });
    } finally {
      calls.delete(id);
      turn.end();
    }
  };

  const hear = (value: unknown) => {
    const parsed = fromClient.safeParse(value);
    if (!parsed.success) return end(BAD_MESSAGE);
    const message = parsed.data;
    if (message.type === 'hello') {
      if (sessionId !== null) return end(BAD_MESSAGE);
      const admitted = ports.admit(message.token, connection);
      if ('reason' in admitted) return end(admitted.reason);
      sessionId = admitted.sessionId;
      say({ type: 'welcome' });
    } else if (sessionId === null) {
      end('the token comes first');
    } else if (message.type === 'call') {
      void run(sessionId, message);
    } else {
      calls.get(message.id)?.abort(new DOMException('the call was cancelled', 'AbortError'));
    }
  };

  const connection: BridgeConnection = { close };
  readLines(
    socket,
    { maxBytes: () => (sessionId === null ? MAX_HELLO_BYTES : MAX_MESSAGE_BYTES) },
    { value: (value) => gone.signal.aborted || hear(value), broken: end },
  );
  socket.on('error', (error) =>
    ports.log.debug({ err: error, sessionId }, 'a connection of the bridge broke'),
  );
  socket.once('close', close);
  return connection;
}
