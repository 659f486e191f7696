import * as z from 'zod';
import type { AuditAction } from '../audit/audit.ts';
import { operation } from '../operation.ts';
import { reference } from '../shapes.ts';

const actions = [
  'tool_use',
  'permission',
  'plan',
  'choice',
  'direct_message',
  'outsider_message',
  'routine',
  'watch',
  'worktree',
  'reaction_refused',
  'session_started',
  'session_resumed',
  'session_interrupted',
  'session_paused',
  'session_ended',
  'session_failed',
  'session_refused',
  'command',
  'file_sent',
  'memory',
  'proposal',
  'torn_line',
] as const satisfies readonly AuditAction[];

export const listRecord = operation({
  name: 'list_thread_audit',
  call: 'Call it to read the record of what happened on a platform: tools, decisions and who made them, commands.',
  needs: 'Needs an admin key, and the id of a configured platform.',
  returns:
    'Returns lines, newest first; a page may be short, even empty, and go on all the same with its next_cursor.',
  http: { method: 'GET', path: '/audit' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    platform_id: reference,
    action: z.enum(actions).optional(),
    session_id: reference.optional(),
    person: reference.optional().describe('Who did it, by id or by name'),
    text: reference.optional().describe('Anywhere in the line, in any case'),
    limit: z.int().min(1).max(500).default(100),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional()
      .describe('next_cursor of the page before'),
  }),
  output: z.object({
    data: z.array(
      z.object({
        seq: z.int(),
        time: z.string(),
        platform: z.string(),
        action: z.string(),
        session: z.string().nullable(),
        channel: z.string().nullable(),
        thread: z.string().nullable(),
        actor: z.string(),
        actor_name: z.string().nullable(),
        tool: z.string().nullable(),
        details: z.record(z.string(), z.unknown()),
        prev: z.string(),
        hash: z.string(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  errors: ['not_found'],
  async handle({ platform_id, action, session_id, person, text, limit, cursor }, { threads }) {
    const { lines, next } = await threads.record(platform_id, {
      action,
      sessionId: session_id,
      person,
      text,
      limit,
      before: cursor,
    });
    return { data: [...lines], next_cursor: next };
  },
});
