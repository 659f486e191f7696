import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../ports.ts';
import { CARRIED, type FromThread, sendError, type ToThread } from './messages.ts';
import { openPorts, type WorkerSetting } from './setting.ts';
import type { WorkerTask } from './task.ts';

/** Program of a thread: runs the tasks its pool gives it, one after the other. */

if (parentPort === null) throw new Error('this is the program of a worker thread');
const parent: MessagePort = parentPort;
const tell = (message: FromThread): void => parent.postMessage(message);

const log: Log = {
  debug: (fields, message) => tellLog('debug', fields, message),
  info: (fields, message) => tellLog('info', fields, message),
  warn: (fields, message) => tellLog('warn', fields, message),
  error: (fields, message) => tellLog('error', fields, message),
};

const running = new Map<number, AbortController>();
const ports = await openPorts(workerData as WorkerSetting, log);
if (ports.store.engine === 'sqlite') {
  for (const channel of CARRIED.up) {
    ports.store.listen(channel, (payload) => tell({ kind: 'notify', channel, payload }));
  }
}

parent.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'run':
      void run(message.id, message.module, message.name, message.input);
      break;
    case 'abort':
      running.get(message.id)?.abort();
      break;
    case 'notify':
      ports.store.notify(message.channel, message.payload);
      break;
    case 'end':
      void end();
      break;
  }
});

tell({ kind: 'up' });

async function run(id: number, module: string, name: string, input: unknown): Promise<void> {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const exported: Record<string, unknown> = await import(module);
    const task = exported[name] as WorkerTask<unknown, unknown> | undefined;
    if (task === undefined) throw new Error(`${module} exports no ${name}`);
    tell({ kind: 'done', id, output: await task.run(ports, input, abort.signal) });
  } catch (error) {
    tell({ kind: 'failed', id, error: sendError(error) });
  } finally {
    running.delete(id);
  }
}

async function end(): Promise<void> {
  await ports.store.close();
  parent.close();
}

/** What can't be cloned is told as text. */
function tellLog(level: keyof Log, fields: object, message: string): void {
  try {
    tell({ kind: 'log', level, fields, message });
  } catch {
    const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
    tell({ kind: 'log', level, fields: Object.fromEntries(texts), message });
  }
}
