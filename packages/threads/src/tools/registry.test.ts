import { inputJsonSchema } from '@postern/kit';
import { describe, expect, test } from 'vitest';
import { toolBench } from '../testing/tool-bench.ts';
import { threadTools, toolsFor } from './registry.ts';

const inputs = {
  permission_prompt: { tool_name: true, input: false },
  send_file: { path: true, caption: false },
  read_post: { url: true, include_thread: false, max_messages: false },
  react_to_post: { url: false, emoji: true },
  update_own_post: { url: true, message: true },
  list_thread: { url: false, max_messages: false },
  read_channel_history: { channel_id: true, max_messages: false },
  search_messages: { query: true, max_results: false },
  send_dm: { recipient: true, message: true },
  remember_fact: { text: true },
  list_memory: {},
  propose_routine: { name: true, prompt: true, schedule: true },
  propose_watch: { name: true, condition: true, prompt: true, keywords: true },
  list_routines: {},
  list_watches: {},
};

test('the tools have the names and inputs that agents know', () => {
  const found = threadTools.map(({ name, input }) => {
    const { properties, required = [] } = inputJsonSchema(input) as {
      properties: object;
      required?: string[];
    };
    return [name, Object.fromEntries(Object.keys(properties).map((key) => [key, required.includes(key)]))];
  });
  expect(Object.fromEntries(found)).toEqual(inputs);
});

test('every tool and every argument is described', () => {
  for (const { description, input } of threadTools) {
    expect(description.length).toBeGreaterThan(80);
    expect(description.length).toBeLessThan(1_000);
    for (const schema of Object.values((inputJsonSchema(input) as { properties: object }).properties)) {
      expect(schema).toMatchObject({ description: expect.stringMatching(/\.$/) });
    }
  }
});

test('numbers and switches are published as what they are', () => {
  const readPost = threadTools.find(({ name }) => name === 'read_post');
  expect(inputJsonSchema(readPost!.input)).toMatchObject({
    properties: {
      include_thread: { type: 'boolean', default: false },
      max_messages: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
    },
  });
});

test('a tool of a feature is there where the feature is on', () => {
  const [first] = threadTools;
  const tools = [first!, { ...first!, name: 'of_a_feature', feature: 'memory' as const }];
  expect(toolsFor(new Set(), tools).map(({ name }) => name)).toEqual(['permission_prompt']);
  expect(toolsFor(new Set(['memory']), tools).map(({ name }) => name)).toContain('of_a_feature');
});

describe('a call', () => {
  test('of an unknown tool is refused', async () => {
    const at = await toolBench();
    for (const name of ['nothing', 'toString', '__proto__']) {
      expect(await at.run(name, {})).toEqual({ ok: false, reason: 'This session has no such tool.' });
    }
  });

  test('names each argument that is wrong', async () => {
    const at = await toolBench();
    const answer = await at.run('update_own_post', { url: 5 });
    expect(answer).toEqual({ ok: false, reason: 'url must be a text; message must be a text' });
  });

  test('ignores arguments it does not know', async () => {
    const at = await toolBench();
    expect(await at.run('list_thread', { surprise: 1 })).toMatchObject({ ok: true });
  });

  test('never throws, and keeps what went wrong to the log', async () => {
    const at = await toolBench();
    at.platform.readThread = () => Promise.reject(new Error('secret'));
    const answer = await at.run('list_thread', {});
    expect(answer).toEqual({ ok: false, reason: expect.stringContaining('unexpected') });
  });

  test('that was cancelled before does nothing', async () => {
    const at = await toolBench();
    const signal = AbortSignal.abort();
    expect(await at.run('list_thread', {}, { signal })).toEqual({
      ok: false,
      reason: 'The call was cancelled.',
    });
  });
});
