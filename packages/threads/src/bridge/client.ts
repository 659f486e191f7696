import type { Socket } from 'node:net';
import type { Clock } from '@postern/kit';
import { readLines, writeLine } from './lines.ts';
import { type FromBot, type FromClient, fromBot, MAX_MESSAGE_BYTES, SILENCE_MS } from './protocol.ts';

/** The tools' server's side of the bridge. */

export type BridgeAnswer =
  | { readonly kind: 'answer'; readonly answer: Readonly<Record<string, unknown>> }
  /** It was not run, or what came of it is not known; a sentence. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface BridgeClient {
  /**
   * Runs a tool in the bot. Connects when it has to, and never repeats a call. Never throws.
   *
   * @param onBeat called every few seconds while the bot says that it is still at work.
   */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    onBeat?: () => void,
  ): Promise<BridgeAnswer>;
  close(): void;
}

/** Time to be let in by the bot, on the same machine. */
const CONNECT_MS = 10_000;

const UNREACHABLE = 'The bot cannot be reached.';
const LOST = 'The connection to the bot was lost; what came of the call is not known.';
const SILENT = 'The bot no longer answers; what came of the call is not known.';
const TOO_LARGE = 'The arguments are too large to be handed to the bot.';
const CANCELLED = 'The call was cancelled.';

interface Pending {
  settle(answer: BridgeAnswer): void;
  readonly onBeat: (() => void) | undefined;
}

interface Line {
  readonly socket: Socket;
  readonly calls: Map<number, Pending>;
  /** Counts what was heard and said, to tell silence by. */
  signs: number;
  isWatched: boolean;
  readonly over: AbortController;
}

export function bridgeClient(options: {
  readonly socketPath: string;
  readonly token: string;
  readonly clock: Clock;
}): BridgeClient {
  const { clock } = options;
  let opening: Promise<Line | string> | null = null;
  let lastId = 0;

  const lose = (line: Line, reason: string) => {
    if (!line.over.signal.aborted) {
      opening = null;
      line.over.abort();
    }
    line.socket.destroy();
    for (const call of line.calls.values()) call.settle({ kind: 'failed', reason });
    line.calls.clear();
  };

  const open = async (): Promise<Line | string> => {
    // Loaded with the first call, which the start does not wait for.
    const { connect } = process.getBuiltinModule('node:net');
    const socket = connect(options.socketPath);
    const line: Line = { socket, calls: new Map(), signs: 0, isWatched: false, over: new AbortController() };
    const entry = Promise.withResolvers<Line | string>();
    const hear = (message: FromBot) => {
      line.signs += 1;
      if (message.type === 'welcome') entry.resolve(line);
      else if (message.type === 'refused') {
        entry.resolve(`The bot refuses: ${message.reason}.`);
        lose(line, `The bot has ended the connection: ${message.reason}.`);
      } else if (message.type === 'beat') for (const call of line.calls.values()) call.onBeat?.();
      else {
        const call = line.calls.get(message.id);
        line.calls.delete(message.id);
        call?.settle(
          message.type === 'answer'
            ? { kind: 'answer', answer: message.answer }
            : { kind: 'failed', reason: message.reason },
        );
      }
    };
    readLines(
      socket,
      { maxBytes: () => MAX_MESSAGE_BYTES },
      {
        value(value) {
          const parsed = fromBot.safeParse(value);
          if (parsed.success) hear(parsed.data);
          else lose(line, LOST);
        },
        broken: () => lose(line, LOST),
      },
    );
    socket.on('error', () => {});
    socket.once('close', () => {
      entry.resolve(UNREACHABLE);
      lose(line, LOST);
    });
    writeLine(socket, { type: 'hello', token: options.token } satisfies FromClient);
    void clock.sleep(CONNECT_MS, line.over.signal).then(() => entry.resolve(UNREACHABLE));
    const entered = await entry.promise;
    if (typeof entered === 'string') lose(line, entered);
    return entered;
  };

  /** A dead bot and a slow person differ in that the bot goes on saying that it waits. */
  const watch = async (line: Line) => {
    if (line.isWatched) return;
    line.isWatched = true;
    while (line.calls.size > 0) {
      const before = line.signs;
      await clock.sleep(SILENCE_MS, line.over.signal);
      if (line.signs === before && line.calls.size > 0) lose(line, SILENT);
    }
    line.isWatched = false;
  };

  return {
    async call(tool, input, signal, onBeat) {
      opening ??= open();
      const attempt = opening;
      const line = await attempt;
      if (typeof line === 'string') {
        if (opening === attempt) opening = null;
        return { kind: 'failed', reason: line };
      }
      if (signal.aborted) return { kind: 'failed', reason: CANCELLED };
      if (line.over.signal.aborted) return { kind: 'failed', reason: LOST };
      lastId += 1;
      const id = lastId;
      const text = JSON.stringify({ type: 'call', id, tool, input } satisfies FromClient);
      if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) return { kind: 'failed', reason: TOO_LARGE };
      const { promise, resolve } = Promise.withResolvers<BridgeAnswer>();
      const cancel = () => {
        if (!line.calls.delete(id)) return;
        writeLine(line.socket, { type: 'cancel', id } satisfies FromClient);
        resolve({ kind: 'failed', reason: CANCELLED });
      };
      line.calls.set(id, { settle: resolve, onBeat });
      line.signs += 1;
      signal.addEventListener('abort', cancel, { once: true });
      line.socket.write(`${text}\n`);
      void watch(line);
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
    close() {
      void opening?.then((line) => {
        if (typeof line !== 'string') lose(line, LOST);
      });
    },
  };
}
