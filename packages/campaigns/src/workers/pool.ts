import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import type { CampaignsPorts } from '../ports.ts';
import { CARRIED, type FromThread, receiveError, type ToThread } from './messages.ts';
import { settingOf } from './setting.ts';
import { WorkerLostError, type Workers, type WorkerTask } from './task.ts';

export interface WorkerPoolOptions {
  /** Threads at most; they are started when there is work for them. */
  readonly threads: number;
  /** Tasks that may wait for a thread; one more is refused. */
  readonly maxWaiting?: number;
  /** How long a stop waits for running tasks to end by themselves, in milliseconds. */
  readonly graceMs?: number;
}

interface Request {
  readonly id: number;
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

const MAX_WAITING = 1_000;
const GRACE_MS = 8_000;

/** Threads with database connections of their own, each at one task at a time. */
export class WorkerPool implements Workers {
  readonly #ports: CampaignsPorts;
  readonly #options: Required<WorkerPoolOptions>;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Request[] = [];
  readonly #stopListening: (() => void)[];
  #nextId = 1;
  #closed = false;

  constructor(ports: CampaignsPorts, options: WorkerPoolOptions) {
    this.#ports = ports;
    this.#options = { maxWaiting: MAX_WAITING, graceMs: GRACE_MS, ...options };
    this.#stopListening =
      ports.store.engine === 'sqlite'
        ? CARRIED.down.map((channel) =>
            ports.store.listen(channel, (payload) => {
              for (const thread of this.#threads) thread.tell({ kind: 'notify', channel, payload });
            }),
          )
        : [];
  }

  run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Output> {
    if (this.#closed) return Promise.reject(new WorkerLostError('the workers are stopped'));
    if (this.#waiting.length >= this.#options.maxWaiting) {
      return Promise.reject(new WorkerLostError(`${this.#waiting.length} tasks wait for a worker already`));
    }
    return new Promise<Output>((resolve, reject) => {
      const { module, name } = task;
      const id = this.#nextId++;
      this.#waiting.push({ id, module, name, input, signal, resolve: resolve as Request['resolve'], reject });
      this.#assign();
    });
  }

  /** Tells running tasks to stop, waits for them for a while, and ends the threads. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#stopListening) stop();
    for (const request of this.#waiting.splice(0)) {
      request.reject(new WorkerLostError('the workers are stopped'));
    }
    await Promise.all([...this.#threads].map((thread) => thread.end(this.#options.graceMs)));
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = [...this.#threads].find((one) => one.isIdle) ?? this.#start();
      if (!thread) return;
      const request = this.#waiting.shift();
      if (request) thread.give(request);
    }
  }

  #start(): Thread | undefined {
    if (this.#threads.size >= this.#options.threads) return undefined;
    const thread = new Thread(this.#ports, {
      onIdle: () => this.#assign(),
      onGone: () => {
        this.#threads.delete(thread);
        if (!this.#closed) this.#assign();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** Threads do not share what the process keeps compiled unless they are told where; they start in half the time so. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // The folder it tells is the one of this version of Node, inside of the one to be given.
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

class Thread {
  readonly #worker: Worker;
  readonly #events: { onIdle(): void; onGone(): void };
  readonly #gone: Promise<void>;
  #request: Request | undefined;
  #settled: (() => void) | undefined;
  #isUp = false;
  #isGone = false;

  constructor(ports: CampaignsPorts, events: { onIdle(): void; onGone(): void }) {
    this.#events = events;
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: settingOf(ports),
      name: 'campaigns',
      env: threadEnvironment(),
    });
    // An idle thread keeps no process from ending.
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#hear(ports, message));
    let cause = 'it ended';
    this.#worker.on('error', (error) => {
      cause = error instanceof Error ? error.message : String(error);
      ports.log.error({ err: error }, 'a worker thread failed');
    });
    this.#gone = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isGone = true;
        this.#settle((request) =>
          request.reject(new WorkerLostError(`the thread of ${request.name} is gone: ${cause}`)),
        );
        events.onGone();
        resolve();
      });
    });
  }

  get isIdle(): boolean {
    return this.#request === undefined && !this.#isGone;
  }

  give(request: Request): void {
    this.#request = request;
    this.#worker.ref();
    const abort = () => {
      if (this.#isUp) this.tell({ kind: 'abort', id: request.id });
      else void this.#giveUp(new DOMException('The task was given up before it began.', 'AbortError'));
    };
    request.signal.addEventListener('abort', abort, { once: true });
    this.#settled = () => request.signal.removeEventListener('abort', abort);
    const { id, module, name, input } = request;
    try {
      this.tell({ kind: 'run', id, module, name, input });
      if (request.signal.aborted) abort();
    } catch (error) {
      // The input can't be cloned.
      this.#settle(() => request.reject(error instanceof Error ? error : new Error(String(error))));
      this.#events.onIdle();
    }
  }

  /** Ends a thread that is still being started: on a busy machine that takes a while, and it has begun nothing. */
  async #giveUp(error: Error): Promise<void> {
    this.#isGone = true;
    this.#settle((request) => request.reject(error));
    await this.#worker.terminate();
    await this.#gone;
  }

  tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  async end(graceMs: number): Promise<void> {
    if (!this.#isUp) return this.#giveUp(new WorkerLostError('the workers are stopped'));
    const request = this.#request;
    if (request) this.tell({ kind: 'abort', id: request.id });
    const patience = new AbortController();
    const late = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      patience.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    const idle = new Promise<void>((resolve) => {
      if (!this.#request) resolve();
      else {
        const before = this.#settled;
        this.#settled = () => {
          before?.();
          resolve();
        };
      }
    });
    await Promise.race([idle, late]);
    this.tell({ kind: 'end' });
    await Promise.race([this.#gone, late]);
    patience.abort();
    if (!this.#isGone) await this.#worker.terminate();
    await this.#gone;
  }

  #hear(ports: CampaignsPorts, message: FromThread): void {
    switch (message.kind) {
      case 'up':
        this.#isUp = true;
        break;
      case 'log':
        ports.log[message.level](message.fields, message.message);
        break;
      case 'notify':
        ports.store.notify(message.channel, message.payload);
        break;
      case 'done':
        this.#settle((request) => request.resolve(message.output));
        this.#events.onIdle();
        break;
      case 'failed':
        this.#settle((request) => request.reject(receiveError(message.error)));
        this.#events.onIdle();
        break;
    }
  }

  #settle(act: (request: Request) => void): void {
    const request = this.#request;
    this.#request = undefined;
    const settled = this.#settled;
    this.#settled = undefined;
    this.#worker.unref();
    settled?.();
    if (request) act(request);
  }
}
