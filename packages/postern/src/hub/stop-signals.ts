import { constants } from 'node:os';

type StopSignal = 'SIGTERM' | 'SIGINT';

const SIGNALS: readonly StopSignal[] = ['SIGTERM', 'SIGINT'];
/** Ctrl-C reaches the process from the terminal and again from npm or the launcher that pass it on. */
const SAME_KEY_MS = 500;

/**
 * The first SIGTERM or SIGINT asks for an orderly stop; a second one ends the process at once.
 */
export class StopSignals {
  /** Resolves with the first one's name. */
  readonly first: Promise<StopSignal>;
  readonly #listener: (signal: StopSignal) => void;

  /** @param atTerminal whether one press of Ctrl-C may arrive more than once. */
  constructor(atTerminal: boolean) {
    const { promise, resolve } = Promise.withResolvers<StopSignal>();
    this.first = promise;
    let firstAt: number | null = null;
    this.#listener = (signal) => {
      if (firstAt === null) {
        firstAt = performance.now();
        resolve(signal);
      } else if (!(atTerminal && signal === 'SIGINT' && performance.now() - firstAt < SAME_KEY_MS)) {
        process.exit(128 + constants.signals[signal]);
      }
    };
    for (const signal of SIGNALS) process.on(signal, this.#listener);
  }

  dispose(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }
}
