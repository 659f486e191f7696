import { restRequest } from '../../../../packages/http/src/index.ts';
import type { InboxOperation } from '../../../../packages/inbox/src/index.ts';
import { ADMIN_KEY, BEARER } from '../../../../packages/inbox/src/testing/index.ts';
import type { RecordedExample } from '../examples.ts';
import { arrangementOf, type InboxStage, inboxStage } from './inbox-examples.ts';
import { toolCall } from './tool-call.ts';

const AGENT = 'assistant';

/** Makes an operation's example call over REST and, where it is a tool, over MCP. @throws Error when one fails. */
export async function recordInboxExample(operation: InboxOperation): Promise<RecordedExample> {
  return {
    service: 'inbox',
    operation: operation.name,
    tool: operation.tool ? await asTool(operation) : null,
    rest: await overRest(operation),
  };
}

async function arranged(
  operation: InboxOperation,
): Promise<{ stage: InboxStage; input: Record<string, unknown> }> {
  const arrange = arrangementOf(operation);
  if (!arrange) throw new Error(`no example of ${operation.name}`);
  const stage = await inboxStage();
  return { stage, input: await arrange(stage) };
}

async function asTool(operation: InboxOperation): Promise<RecordedExample['tool']> {
  const { stage, input } = await arranged(operation);
  const { headers, body } = toolCall(operation.name, input);
  const answer = await stage.hub.app.inject({
    method: 'POST',
    url: '/mcp/inbox',
    headers: {
      host: '127.0.0.1:8080',
      authorization: `Bearer ${BEARER}`,
      'x-agent-id': AGENT,
      ...headers,
    },
    payload: body,
  });
  const { result } = answer.json() as { result?: { isError?: boolean; structuredContent?: unknown } };
  if (!result || result.isError) throw new Error(`the tool ${operation.name} answered ${answer.body}`);
  return { arguments: input, structured: result.structuredContent };
}

async function overRest(operation: InboxOperation): Promise<RecordedExample['rest']> {
  const { stage, input } = await arranged(operation);
  const { method, path, body } = restRequest(operation, input);
  const { scope } = operation.rights;
  const isAgent = scope === 'read' || scope === 'send';
  const headers = isAgent ? { 'X-Agent-ID': AGENT } : {};
  const answer = await stage.hub.app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      host: '127.0.0.1:8080',
      authorization: `Bearer ${scope === 'admin' ? ADMIN_KEY : BEARER}`,
      ...headers,
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === null ? {} : { payload: body }),
  });
  if (answer.statusCode >= 400)
    throw new Error(`${method} ${path} answered ${answer.statusCode} ${answer.body}`);
  const isJson = operation.http.produces === undefined && answer.body !== '';
  return {
    line: `${method} ${path}`,
    headers,
    body: body === null || body === '{}' ? null : JSON.parse(body),
    input,
    status: answer.statusCode,
    answer: isJson ? answer.json() : null,
  };
}
