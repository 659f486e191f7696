import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Input, Output } from '../cli/command.ts';
import { Abandoned, type Prompter } from './prompter.ts';

export interface TerminalOptions {
  readonly input: Input;
  readonly output: Output;
  /** Aborted at Ctrl-C; when it is, whatever is asked rejects. */
  readonly interrupt: AbortController;
}

/** Asks at a terminal, or line by line through a pipe. What is typed ahead waits for the next question. */
export function terminalPrompter({ input, output, interrupt }: TerminalOptions): Prompter {
  let isHidden = false;
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) output.write(chunk.toString());
      done();
    },
  });
  const terminal = input.isTTY === true;
  // Without a history, or the arrow keys would bring a token back.
  const lines = createInterface({ input, output: shown, terminal, historySize: 0, prompt: '' });
  const waiting: string[] = [];
  let over: Abandoned | null = null;
  let wake: (() => void) | null = null;
  lines.on('line', (line) => {
    waiting.push(line);
    wake?.();
  });
  lines.on('close', () => {
    over ??= new Abandoned('ended');
    wake?.();
  });
  lines.on('SIGINT', () => interrupt.abort());
  interrupt.signal.addEventListener(
    'abort',
    () => {
      over = new Abandoned('interrupted');
      wake?.();
    },
    { once: true },
  );

  async function line(): Promise<string> {
    for (;;) {
      if (over?.why === 'interrupted') throw over;
      const next = waiting.shift();
      if (next !== undefined) return next.trim();
      if (over !== null) throw over;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  async function ask(question: string): Promise<string> {
    output.write(`${question} `);
    const answer = await line();
    // A pipe shows no line break of its own, and a hidden answer neither.
    if (!terminal || isHidden) output.write('\n');
    return answer;
  }

  return {
    ask,
    async askSecret(question) {
      isHidden = true;
      try {
        return await ask(question);
      } finally {
        isHidden = false;
      }
    },
    close: () => lines.close(),
  };
}
