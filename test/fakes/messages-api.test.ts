import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  answer,
  drop,
  type FakeMessagesApi,
  failInStream,
  fakeMessagesApi,
  hang,
  overloaded,
  rateLimited,
  text,
  toolUse,
} from './messages-api.ts';

let api: FakeMessagesApi;
beforeEach(async () => {
  api = await fakeMessagesApi();
});
afterEach(() => api.close());

interface SentEvent {
  readonly type: string;
  readonly index?: number;
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string };
  readonly [field: string]: unknown;
}

function ask(body: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${api.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: JSON.stringify({
      model: 'a-model',
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The events of a whole stream; each name must be its event's type. */
function eventsOf(stream: string): SentEvent[] {
  return stream
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? [];
      const event = JSON.parse(data) as SentEvent;
      expect(event.type).toBe(name);
      return event;
    });
}

const asking = (words: string) => ({ messages: [{ role: 'user', content: words }] });

describe('an answer', () => {
  test('streams its blocks one after the other, in pieces', async () => {
    const sentence = 'Ein Satz mit 🦜, länger als ein Stück des Stroms.';
    const input = { channel_id: 'local:desk', text: 'mehr als ein Stück, mit "Anführung" und 🦜' };
    const call = toolUse('mcp__inbox__send_message', input);
    api.script(answer(text(sentence), call));

    const response = await ask();
    const events = eventsOf(await response.text());

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(events.filter(({ type }) => type !== 'content_block_delta').map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_stop',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const deltas = (index: number) => events.filter((event) => event.delta && event.index === index);
    expect(deltas(0).length).toBeGreaterThan(1);
    expect(
      deltas(0)
        .map(({ delta }) => delta?.text)
        .join(''),
    ).toBe(sentence);
    expect(deltas(1).length).toBeGreaterThan(1);
    expect(
      JSON.parse(
        deltas(1)
          .map(({ delta }) => delta?.partial_json)
          .join(''),
      ),
    ).toEqual(input);
    expect(events.find(({ index, type }) => index === 1 && type === 'content_block_start')).toMatchObject({
      content_block: { ...call, input: {} },
    });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
    api.verify();
  });

  test('is one JSON body where no stream is asked for', async () => {
    api.script(answer(text('Yes.')));
    expect(await (await ask({ stream: false })).json()).toMatchObject({
      type: 'message',
      model: 'a-model',
      content: [{ type: 'text', text: 'Yes.' }],
      stop_reason: 'end_turn',
    });
  });

  test('may be made from the request, when the test is ready for it', async () => {
    const gate = Promise.withResolvers<void>();
    api.script(async ({ newestUserText }) => {
      await gate.promise;
      return answer(text(newestUserText.toUpperCase()));
    });
    const response = ask({ stream: false });
    expect((await api.request(1)).newestUserText).toBe('Hello');
    gate.resolve();
    expect(await (await response).json()).toMatchObject({ content: [{ text: 'HELLO' }] });
  });
});

describe('a request', () => {
  test('tells what the model was given', async () => {
    api.script(answer(text('Done.')));
    await ask({
      system: [{ type: 'text', text: 'You are a clerk.' }],
      tools: [{ name: 'mark_read', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'See to the inbox.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'mark_read', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A reminder.' },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              is_error: true,
              content: [{ type: 'text', text: 'No.' }],
            },
          ],
        },
      ],
    });
    const [request] = api.requests;
    expect(request?.headers['x-api-key']).toBe('k');
    expect(request?.system).toBe('You are a clerk.');
    expect(request?.tools.map(({ name }) => name)).toEqual(['mark_read']);
    expect(request?.newestUserText).toBe('A reminder.');
    expect(request?.toolResult).toEqual({ toolUseId: 'toolu_1', isError: true, text: 'No.' });
    expect(request?.everything).toBe('You are a clerk.\nSee to the inbox.\nA reminder.\nNo.');
  });

  test('of one of several sessions is answered by its own script', async () => {
    api.script(answer(text('to anybody')));
    api.scriptFor(({ newestUserText }) => newestUserText === 'Anna', answer(text('to Anna')));
    const said = async (words: string) =>
      ((await (await ask({ ...asking(words), stream: false })).json()) as { content: [{ text: string }] })
        .content[0].text;
    expect(await said('Bert')).toBe('to anybody');
    expect(await said('Anna')).toBe('to Anna');
    api.verify();
  });

  test('without a step is refused, and verify tells of it', async () => {
    const response = await ask();
    expect(response.status).toBe(400);
    expect(() => api.verify()).toThrow('request 1 has no step in the script');
  });

  test('whose step throws is refused, and verify tells why', async () => {
    api.script(({ toolResult }) => answer(text(toolResult.text)));
    expect((await ask()).status).toBe(400);
    expect(() => api.verify()).toThrow('expected one tool result, found 0');
  });

  test('for anything else than an answer takes no step', async () => {
    api.script(answer(text('Yes.')));
    expect((await fetch(`${api.url}/api/hello`, { method: 'HEAD' })).status).toBe(404);
    const counted = await fetch(`${api.url}/v1/messages/count_tokens`, {
      method: 'POST',
      body: JSON.stringify(asking('Hello')),
    });
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) });
    expect(api.requests).toEqual([]);
    expect(() => api.verify()).toThrow('1 steps were never reached');
  });
});

describe('a fault', () => {
  test('of the account or the API is an HTTP error with its body', async () => {
    api.script(rateLimited(7), overloaded());
    const limited = await ask();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await limited.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
    const busy = await ask();
    expect(busy.status).toBe(529);
    expect(await busy.json()).toMatchObject({ error: { type: 'overloaded_error' } });
  });

  test('cuts the connection before an answer, or in the middle of one', async () => {
    api.script(drop(), drop(4, text('A long answer, of which nobody ever hears the end.')));
    await expect(ask()).rejects.toThrow('fetch failed');
    const response = await ask();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('ends a stream with an error event', async () => {
    api.script(failInStream(3, text('Let me')));
    const events = eventsOf(await (await ask()).text());
    expect(events.map(({ type }) => type)).toEqual(['message_start', 'ping', 'content_block_start', 'error']);
  });

  test('that hangs lasts until the agent leaves', async () => {
    api.script(hang(), hang(2));
    for (const nth of [1, 2]) {
      const leave = new AbortController();
      const response = ask({}, leave.signal).then((started) => started.text());
      const request = await api.request(nth);
      leave.abort();
      await expect(response).rejects.toThrow('aborted');
      expect(await request.over).toEqual({ abandoned: true });
    }
    api.verify();
  });
});
