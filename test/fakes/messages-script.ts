/** What a fake model does when it is asked: one step answers one request of the Messages API. */

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type Step =
  | { readonly kind: 'answer'; readonly blocks: readonly Block[]; readonly usage?: Usage }
  /** An HTTP error, with the API's own body. */
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly retryAfterSeconds?: number;
    }
  /**
   * An answer that breaks off after so many events of its stream: nothing more comes (`hang`), the connection
   * is cut (`drop`), or an error event ends it (`error`). After 0 events not even the status line is sent.
   */
  | {
      readonly kind: 'break';
      readonly how: 'hang' | 'drop' | 'error';
      readonly afterEvents: number;
      readonly blocks: readonly Block[];
    };

let toolUses = 0;

export const text = (content: string): Block => ({ type: 'text', text: content });

/** A tool call; its id is made up, unlike any other of this process. */
export const toolUse = (name: string, input: Readonly<Record<string, unknown>>): Block => {
  toolUses += 1;
  return { type: 'tool_use', id: `toolu_${String(toolUses).padStart(24, '0')}`, name, input };
};

/** A whole answer. It stops for its tool calls when it has any, else it ends the turn. */
export const answer = (...blocks: Block[]): Step => ({ kind: 'answer', blocks });

/** 429, the account's own limit. */
export const rateLimited = (retryAfterSeconds?: number): Step => ({
  kind: 'refuse',
  status: 429,
  type: 'rate_limit_error',
  message: 'This request would exceed the rate limit.',
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});

/** 529, the API's own trouble. */
export const overloaded = (): Step => ({
  kind: 'refuse',
  status: 529,
  type: 'overloaded_error',
  message: 'Overloaded',
});

export const hang = (afterEvents = 0, ...blocks: Block[]): Step => breakOff('hang', afterEvents, blocks);
export const drop = (afterEvents = 0, ...blocks: Block[]): Step => breakOff('drop', afterEvents, blocks);
export const failInStream = (afterEvents: number, ...blocks: Block[]): Step =>
  breakOff('error', afterEvents, blocks);

function breakOff(how: 'hang' | 'drop' | 'error', afterEvents: number, blocks: readonly Block[]): Step {
  return { kind: 'break', how, afterEvents, blocks: blocks.length > 0 ? blocks : [text('Let me see.')] };
}
