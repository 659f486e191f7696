import { announceSessionEnd } from './http.ts';

/**
 * A reader of server-sent events on `fetch`. The browser's own `EventSource` gives up for good on an error
 * status and can't be told where to resume, so a restarted server would leave a page that looks alive.
 */

export interface ServerEvent {
  readonly type: string;
  readonly data: string;
}

export type StreamStatus = 'connecting' | 'live' | 'reconnecting';

export interface EventStreamOptions {
  readonly url: string;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onStatus: (status: StreamStatus) => void;
}

const FIRST_DELAY_MILLISECONDS = 400;
const LONGEST_DELAY_MILLISECONDS = 15_000;
const DEAD_SESSION_STATUS = 401;
/** The server gives a sign of life every 15 s; a line that is silent for longer than this is dead. */
const LONGEST_SILENCE_MILLISECONDS = 45_000;

/** Feeds text chunks to `onEvent` by the event stream format of the HTML standard. */
export function eventParser(onEvent: (event: ServerEvent) => void, onId: (id: string) => void) {
  let rest = '';
  let type = '';
  let data: string[] = [];

  function endEvent(): void {
    if (data.length > 0) onEvent({ type: type === '' ? 'message' : type, data: data.join('\n') });
    type = '';
    data = [];
  }

  function line(text: string): void {
    if (text === '') {
      endEvent();
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') type = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) onId(value);
  }

  return (chunk: string): void => {
    rest += chunk;
    // A carriage return at the very end may be half of a line break; it waits for the next chunk.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
  };
}

/** Keeps a stream open until the returned function is called; resumes after the last event it has seen. */
export function openEventStream({ url, onEvent, onStatus }: EventStreamOptions): () => void {
  let closed = false;
  let attempt: AbortController | null = null;
  let timer: number | undefined;
  let failures = 0;
  let lastEventId: string | null = null;

  async function connect(): Promise<void> {
    const controller = new AbortController();
    attempt = controller;
    timer = undefined;
    let silence = window.setTimeout(() => controller.abort(), LONGEST_SILENCE_MILLISECONDS);
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastEventId !== null) headers['last-event-id'] = lastEventId;
      const response = await fetch(url, { headers, signal: controller.signal, cache: 'no-store' });
      if (response.status === DEAD_SESSION_STATUS) {
        announceSessionEnd();
        return;
      }
      if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
      failures = 0;
      onStatus('live');
      const parse = eventParser(onEvent, (id) => {
        lastEventId = id;
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        window.clearTimeout(silence);
        if (done) break;
        silence = window.setTimeout(() => controller.abort(), LONGEST_SILENCE_MILLISECONDS);
        parse(value);
      }
    } catch {
      // Every way to fail has the same answer: try again, below.
    }
    window.clearTimeout(silence);
    if (attempt === controller) retryLater();
  }

  function retryLater(): void {
    if (closed) return;
    onStatus('reconnecting');
    const delay = Math.min(FIRST_DELAY_MILLISECONDS * 2 ** failures, LONGEST_DELAY_MILLISECONDS);
    failures += 1;
    // Spread, so that many open pages don't all come back in the instant a server restarts.
    timer = window.setTimeout(connect, delay * (0.75 + Math.random() / 2));
  }

  /** A laptop that woke up, or a line that came back, should not wait for a long delay. */
  function hurry(): void {
    if (timer === undefined || closed) return;
    window.clearTimeout(timer);
    failures = 0;
    void connect();
  }

  function onVisibility(): void {
    if (document.visibilityState === 'visible') hurry();
  }

  onStatus('connecting');
  window.addEventListener('online', hurry);
  document.addEventListener('visibilitychange', onVisibility);
  void connect();

  return () => {
    closed = true;
    window.clearTimeout(timer);
    window.removeEventListener('online', hurry);
    document.removeEventListener('visibilitychange', onVisibility);
    const running = attempt;
    attempt = null;
    running?.abort();
  };
}
