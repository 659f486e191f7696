import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What the fake `osascript` does when it is called. */
export type OsascriptOrder =
  | 'send'
  /** An error, and nothing is there. */
  | 'refuse'
  | 'refuse-automation'
  /** No chat of that guid among the live ones; people are still reached. */
  | 'no-such-chat'
  | 'send-and-fail'
  | 'send-and-hang'
  | 'hang'
  | 'time-out'
  /** Says that it sent, and did nothing. */
  | 'nothing'
  /** Says that it sent, and wrote a row that belongs to no chat. */
  | 'ghost'
  | 'ghost-and-fail'
  /** The message is there, with the error that nobody could be reached. */
  | 'undeliverable'
  | 'other-text';

export interface OsascriptCall {
  readonly values: readonly string[];
  readonly script: string;
  readonly order: OsascriptOrder;
}

export interface FakeOsascript {
  readonly command: readonly string[];
  /** For the next calls, first one first. */
  order(...orders: OsascriptOrder[]): void;
  calls(): OsascriptCall[];
}

/** A fake `osascript` for the database in a folder. */
export function fakeOsascript(folder: string): FakeOsascript {
  const control = join(folder, 'osascript');
  mkdirSync(control, { recursive: true });
  const orders = join(control, 'orders.json');
  const calls = join(control, 'calls.jsonl');
  writeFileSync(orders, '[]');
  const program = fileURLToPath(new URL('./osascript.ts', import.meta.url));
  return {
    command: [process.execPath, '--disable-warning=ExperimentalWarning', program, control],
    order(...more) {
      writeFileSync(orders, JSON.stringify([...JSON.parse(readFileSync(orders, 'utf8')), ...more]));
    },
    calls: () =>
      existsSync(calls)
        ? readFileSync(calls, 'utf8')
            .split('\n')
            // Behind the last line's end is nothing, or what is being written just now.
            .slice(0, -1)
            .map((line) => JSON.parse(line) as OsascriptCall)
        : [],
  };
}
