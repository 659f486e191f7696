import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { type Era, message } from './rpc.ts';

const LATE_MS = 30_000;
/** A server that was told to end by its input's end gets this long. */
const END_MS = 5_000;

interface Answer {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: unknown;
}

/** One MCP server over stdio, and the least a client must do; the SDK's own client would be timed with it. */
export class StdioSession {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly #child: ChildProcess;
  readonly #era: Era;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  readonly #gone: Promise<void>;
  #lastId = 0;
  #errors = '';

  constructor(command: readonly string[], environment: Readonly<Record<string, string>>, era: Era) {
    const [program = '', ...parameters] = command;
    this.#era = era;
    this.startedAt = performance.now();
    this.#child = spawn(program, parameters, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#gone = new Promise((resolve) => this.#child.once('close', () => resolve()));
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.stdin?.on('error', (error) => this.#fail(error));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-2_000);
    });
    void this.#gone.then(() => this.#fail(new Error('the server ended')));
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#receive(JSON.parse(line)));
  }

  /** Opens the session as a client of the era does; resolves with the server's first answer. */
  async open(): Promise<Record<string, unknown>> {
    if (this.#era === 'modern') return this.request('server/discover');
    const answer = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '0' },
    });
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  async request(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, waiting);
    this.#write(message(this.#era, id, method, params));
    const late = setTimeout(() => waiting.reject(new Error(`${method} was not answered`)), LATE_MS);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#gone;
    clearTimeout(late);
  }

  #write(value: object): void {
    this.#child.stdin?.write(`${JSON.stringify(value)}\n`);
  }

  #receive({ id, result, error }: Answer): void {
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    if (result) waiting?.resolve(result);
    else waiting?.reject(new Error(`refused: ${JSON.stringify(error)}`));
  }

  #fail(error: Error): void {
    const reason = this.#errors === '' ? error : new Error(`${error.message}: ${this.#errors}`);
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
  }
}
