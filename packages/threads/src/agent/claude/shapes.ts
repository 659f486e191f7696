import * as z from 'zod';

/**
 * What is read of the CLI's stream-json, as versions 2.1.225 to 2.1.332 write it. Fields that are not listed are
 * ignored, and every listed one that a version may lack has a default, so that a new version breaks nothing here.
 */

const text = z.string().catch('');
const count = z.number().nullable().catch(null);
const uuid = z.string().optional().catch(undefined);
const parent = z.string().nullable().catch(null);

export const envelope = z.object({ type: z.string(), subtype: z.string().optional().catch(undefined) });

export const init = z.object({
  session_id: text,
  model: text,
  tools: z.array(z.string()).catch([]),
  slash_commands: z.array(z.string()).catch([]),
  permissionMode: text,
  mcp_servers: z.array(z.object({ name: text, status: text })).catch([]),
});

export const status = z.object({
  status: z.string().nullable().catch(null),
  compact_result: z.string().optional().catch(undefined),
  permissionMode: z.string().optional().catch(undefined),
});

export const apiRetry = z.object({
  attempt: z.number().catch(1),
  max_retries: z.number().catch(0),
  error_status: count,
});

/** A subagent that goes on while the turn does, or after it. */
export const taskStarted = z.object({
  tool_use_id: z.string(),
  task_type: z.literal('local_agent'),
  is_backgrounded: z.literal(true),
});

export const taskNotification = z.object({ tool_use_id: z.string(), status: text, summary: text });

const limit = z.object({ status: text, resetsAt: count });
export const rateLimit = z.object({ rate_limit_info: limit.optional().catch(undefined) }).and(limit);

export const assistant = z.object({
  parent_tool_use_id: parent,
  /** The CLI's own words about an error of the API; the turn's result says the same. */
  is_api_error_message: z.boolean().catch(false),
  message: z.object({ content: z.array(z.unknown()).catch([]) }),
});

export const textBlock = z.object({ text: z.string() });
export const toolUseBlock = z.object({
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});

export const user = z.object({
  uuid,
  isReplay: z.boolean().catch(false),
  parent_tool_use_id: parent,
  message: z.object({ content: z.union([z.string(), z.array(z.unknown())]).catch('') }),
});

export const toolResultBlock = z.object({
  tool_use_id: z.string(),
  is_error: z.boolean().catch(false),
  content: z.union([z.string(), z.array(z.unknown())]).catch(''),
});

export const result = z.object({
  is_error: z.boolean().catch(false),
  /** The messages the turn was about. */
  user_message_uuids: z.array(z.string()).catch([]),
  terminal_reason: text,
  errors: z.array(z.string()).catch([]),
  result: text,
  /** Of the whole session, its earlier processes included. */
  total_cost_usd: count,
  /** Missing in older versions. */
  model_usage_since_last_result: z
    .record(z.string(), z.object({ costUSD: z.number() }))
    .nullable()
    .catch(null),
  duration_ms: count,
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
    })
    .nullable()
    .catch(null),
});

export const commandLifecycle = z.object({ command_uuid: z.string(), state: z.string() });

export const controlResponse = z.object({
  response: z.object({ subtype: text, request_id: text, response: z.unknown() }),
});

export const controlRequest = z.object({ request_id: z.string() });
