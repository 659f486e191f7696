import type { Block, Usage } from './messages-script.ts';

/** An answer of the Messages API, whole or as the events of a stream. */

const DELTA_LENGTH = 24;
const DEFAULT_USAGE: Usage = { inputTokens: 100, outputTokens: 20 };

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Head {
  readonly id: string;
  readonly model: string;
}

/** The message as it is answered where no stream was asked for. */
export function wholeMessage({ id, model }: Head, blocks: readonly Block[], usage = DEFAULT_USAGE) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks,
    stop_reason: stopReason(blocks),
    stop_sequence: null,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
  };
}

/** The same message as a stream: text and tool input arrive in small pieces, as from the real one. */
export function streamEvents(head: Head, blocks: readonly Block[], usage = DEFAULT_USAGE): StreamEvent[] {
  const message = {
    ...wholeMessage(head, [], usage),
    stop_reason: null,
    usage: { input_tokens: usage.inputTokens, output_tokens: 1 },
  };
  return [
    { type: 'message_start', message },
    { type: 'ping' },
    ...blocks.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason(blocks), stop_sequence: null },
      usage: { output_tokens: usage.outputTokens },
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  const isText = block.type === 'text';
  const deltas = isText
    ? pieces(block.text).map((piece) => ({ type: 'text_delta', text: piece }))
    : pieces(JSON.stringify(block.input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  return [
    {
      type: 'content_block_start',
      index,
      content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
    },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** Cut between code points. */
function pieces(whole: string): string[] {
  const points = Array.from(whole);
  return Array.from({ length: Math.ceil(points.length / DELTA_LENGTH) }, (_, index) =>
    points.slice(index * DELTA_LENGTH, (index + 1) * DELTA_LENGTH).join(''),
  );
}

function stopReason(blocks: readonly Block[]): string {
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}
