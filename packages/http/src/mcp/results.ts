import type { CallToolResult } from '@modelcontextprotocol/server';
import { type ErrorDialect, type Failure, JsonText } from '@postern/kit';
import type { Outcome } from '../invoke.ts';
import { isJsonObject } from '../json.ts';

/** Outcomes as results of tool calls: the only place that builds one. */

/** A success: the body as structured content, and the same as text for clients that read only that. */
export function toolSuccess(body: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body, null, 2) }], structuredContent: { ...body } };
}

/** A failure as the dialect tells it to tools. */
export function toolFailure(dialect: ErrorDialect, failure: Failure): CallToolResult {
  const { text, structured } = dialect.tool(failure);
  return { isError: true, content: [{ type: 'text', text }], structuredContent: structured };
}

/** An error body some server has already made, passed on as it is. */
export function toolErrorBody(body: Readonly<Record<string, unknown>>): CallToolResult {
  return { ...toolSuccess(body), isError: true };
}

/** What {@link runOperation} came to, as a tool's result. */
export function toolResult(dialect: ErrorDialect, outcome: Outcome): CallToolResult {
  if (outcome.kind === 'failure') return toolFailure(dialect, outcome.failure);
  if (outcome.kind === 'success') {
    const body = outcome.body instanceof JsonText ? outcome.body.parse() : outcome.body;
    if (isJsonObject(body)) return toolSuccess(body);
  }
  throw new Error('a tool answered with something that is not a JSON object');
}
