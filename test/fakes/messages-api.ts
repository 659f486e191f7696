import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type MessagesBody, ModelRequest } from './messages-request.ts';
import type { Step } from './messages-script.ts';
import { type StreamEvent, streamEvents, wholeMessage } from './messages-stream.ts';

/**
 * The Messages API on a loopback port, with a script instead of a model. An agent that is pointed at it by
 * ANTHROPIC_BASE_URL runs offline and does what the test wants.
 */

export type { ModelRequest } from './messages-request.ts';
export * from './messages-script.ts';

/** A step, or a function that makes it out of the request; it may wait for whatever the test wants. */
export type ScriptStep = Step | ((request: ModelRequest) => Step | Promise<Step>);

export interface FakeMessagesApi extends AsyncDisposable {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** Every request for an answer, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Adds steps for requests that no other script is for; each answers one request. */
  script(...steps: ScriptStep[]): void;
  /** Adds a script of its own for some requests, such as those of one of several sessions. */
  scriptFor(concerns: (request: ModelRequest) => boolean, ...steps: ScriptStep[]): void;
  /** The nth request, counted from 1, as soon as it has arrived. */
  request(nth: number): Promise<ModelRequest>;
  /**
   * Checks that all went by the script.
   *
   * @throws Error telling which requests had no step, which steps threw, and how many were never reached.
   */
  verify(): void;
  /** Forgets the steps that were not reached, and what {@link verify} would complain of. */
  reset(): void;
  close(): Promise<void>;
}

interface Script {
  readonly concerns: (request: ModelRequest) => boolean;
  readonly steps: ScriptStep[];
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;

export async function fakeMessagesApi(): Promise<FakeMessagesApi> {
  const requests: ModelRequest[] = [];
  const faults: string[] = [];
  const common: Script = { concerns: () => true, steps: [] };
  const scripts: Script[] = [];
  const arrivals: { nth: number; resolve(request: ModelRequest): void }[] = [];

  function arrived(request: ModelRequest): void {
    requests.push(request);
    for (const { nth, resolve } of arrivals) if (nth === requests.length) resolve(request);
  }

  async function stepFor(request: ModelRequest): Promise<Step> {
    const place = `request ${requests.length}`;
    const script = scripts.find(({ concerns, steps }) => steps.length > 0 && concerns(request)) ?? common;
    const step = script.steps.shift();
    if (step === undefined) return notScripted(`${place} has no step in the script`);
    if (typeof step !== 'function') return step;
    try {
      return await step(request);
    } catch (error) {
      return notScripted(`the step of ${place} threw: ${(error as Error).message}`);
    }
  }

  /** 400, since agents give up on it at once. */
  function notScripted(message: string): Step {
    faults.push(message);
    return { kind: 'refuse', status: 400, type: 'invalid_request_error', message };
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').split('?')[0];
    const body = await readJson(incoming);
    if (incoming.method === 'POST' && path === '/v1/messages/count_tokens') {
      return sendJson(response, 200, { input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
    }
    if (incoming.method !== 'POST' || path !== '/v1/messages') {
      return sendJson(response, 404, errorBody('not_found_error', 'Not found'));
    }
    const request = new ModelRequest(incoming.headers, body as MessagesBody, overOf(response));
    arrived(request);
    await perform(response, request.body, await stepFor(request));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      faults.push(`a request failed: ${(error as Error).message}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...steps) => void common.steps.push(...steps),
    scriptFor: (concerns, ...steps) => void scripts.push({ concerns, steps }),
    request: (nth) => {
      const there = requests[nth - 1];
      return there ? Promise.resolve(there) : new Promise((resolve) => arrivals.push({ nth, resolve }));
    },
    verify() {
      const left = [common, ...scripts].reduce((sum, { steps }) => sum + steps.length, 0);
      const complaints = [...faults, ...(left > 0 ? [`${left} steps were never reached`] : [])];
      if (complaints.length > 0) throw new Error(complaints.join('; '));
    },
    reset() {
      common.steps.length = 0;
      scripts.length = 0;
      faults.length = 0;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function perform(response: ServerResponse, body: MessagesBody, step: Step): Promise<void> {
  const head = { id: `msg_${randomBytes(12).toString('hex')}`, model: body.model };
  if (step.kind === 'refuse') {
    const { status, type, message, retryAfterSeconds } = step;
    const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return sendJson(response, status, errorBody(type, message), headers);
  }
  if (step.kind === 'answer') {
    if (body.stream !== true) return sendJson(response, 200, wholeMessage(head, step.blocks, step.usage));
    await sendEvents(response, streamEvents(head, step.blocks, step.usage));
    response.end();
    return;
  }
  await sendEvents(response, streamEvents(head, step.blocks).slice(0, step.afterEvents));
  if (step.how === 'drop') response.destroy();
  if (step.how === 'error') {
    await sendEvents(response, [errorBody('overloaded_error', 'Overloaded')]);
    response.end();
  }
}

/** Each event is a write of its own, so that the reader meets them one by one. */
async function sendEvents(response: ServerResponse, events: readonly StreamEvent[]): Promise<void> {
  for (const event of events) {
    if (response.destroyed) return;
    if (!response.headersSent) {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        ...requestId(),
      });
    }
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    await nextTick();
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...requestId(), ...headers });
  response.end(JSON.stringify(body));
}

function errorBody(type: string, message: string) {
  return { type: 'error', error: { type, message } };
}

function requestId(): Record<string, string> {
  return { 'request-id': `req_${randomBytes(12).toString('hex')}` };
}

function overOf(response: ServerResponse): ModelRequest['over'] {
  return new Promise((resolve) => {
    response.once('close', () => resolve({ abandoned: !response.writableFinished }));
  });
}

async function readJson(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('the request body is too large');
    chunks.push(chunk);
  }
  return size === 0 ? null : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
