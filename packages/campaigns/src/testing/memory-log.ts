import type { Log } from '../ports.ts';

/** Keeps what was logged, for a test to look at. */
export class MemoryLog implements Log {
  readonly lines: { level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: object }[] = [];
  readonly debug = this.#writer('debug');
  readonly info = this.#writer('info');
  readonly warn = this.#writer('warn');
  readonly error = this.#writer('error');

  #writer(level: (typeof this.lines)[number]['level']) {
    return (fields: object, message: string) => void this.lines.push({ level, message, fields });
  }
}
