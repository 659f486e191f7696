import type { IncomingHttpHeaders } from 'node:http';

/** A request for an answer, as an agent sent it, with what a test asks of it most. */

export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly ContentBlock[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
}

export interface MessagesBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string | readonly ContentBlock[];
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ToolDefinition[];
}

/** The answer to a tool call, as the model reads it. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly isError: boolean;
  readonly text: string;
}

export class ModelRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: MessagesBody;
  /** Resolves when the exchange is over; tells whether the agent left before it had its answer. */
  readonly over: Promise<{ readonly abandoned: boolean }>;

  constructor(headers: IncomingHttpHeaders, body: MessagesBody, over: ModelRequest['over']) {
    this.headers = headers;
    this.body = body;
    this.over = over;
  }

  /** The system prompt. */
  get system(): string {
    return textOf(this.body.system ?? '');
  }

  get tools(): readonly ToolDefinition[] {
    return this.body.tools ?? [];
  }

  /** Everything the model was given as text: system prompt, messages and tool results. */
  get everything(): string {
    const parts = [this.system, ...this.body.messages.map(({ content }) => textOf(content))];
    return parts.filter((part) => part !== '').join('\n');
  }

  /** What the user's newest message says, tool results left out. */
  get newestUserText(): string {
    return textOf(this.#newestUser()?.content ?? '', (block) => block.type !== 'tool_result');
  }

  /** Results that stand in the newest user message: those the model has not seen before. */
  get toolResults(): readonly ToolResult[] {
    const content = this.#newestUser()?.content ?? '';
    if (typeof content === 'string') return [];
    return content
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({
        toolUseId: String(block.tool_use_id),
        isError: block.is_error === true,
        text: textOf((block.content as ModelMessage['content'] | undefined) ?? ''),
      }));
  }

  /**
   * The one new tool result.
   *
   * @throws Error when there is none, or more than one.
   */
  get toolResult(): ToolResult {
    const [result, ...more] = this.toolResults;
    if (!result || more.length > 0)
      throw new Error(`expected one tool result, found ${this.toolResults.length}`);
    return result;
  }

  #newestUser(): ModelMessage | undefined {
    return this.body.messages.findLast(({ role }) => role === 'user');
  }
}

function textOf(content: string | readonly ContentBlock[], isWanted = (_: ContentBlock) => true): string {
  if (typeof content === 'string') return content;
  return content
    .filter(isWanted)
    .map((block) => {
      if (block.type === 'text') return String(block.text);
      if (block.type === 'tool_result') return textOf((block.content as string | ContentBlock[]) ?? '');
      return '';
    })
    .filter((part) => part !== '')
    .join('\n');
}
