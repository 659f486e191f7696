import { formatMilliseconds } from '@postern/kit';
import * as z from 'zod';
import { runAfter, scheduleInWords } from '../routines/schedule.ts';
import type { FireTable } from '../tables.ts';
import type { Rest } from '../watches/rest.ts';
import type { Task } from './task.ts';

/** How standing tasks look over REST. */

const time = z.string();

const runSchema = z.object({
  id: z.string(),
  due_at: time,
  state: z.enum(['looking', 'due', 'missed', 'running', 'done']),
  outcome: z.enum(['succeeded', 'failed', 'stopped', 'missed', 'no_match']).nullable(),
  detail: z.string().nullable(),
  /** How many runs it stands for; more than one only of runs that were missed. */
  count: z.int(),
  session_id: z.string().nullable(),
  ended_at: time.nullable(),
});

export const taskSchema = z.object({
  id: z.string(),
  kind: z.enum(['routine', 'watch']),
  platform_id: z.string(),
  channel_id: z.string(),
  name: z.string(),
  prompt: z.string(),
  /** Null of a watch. */
  schedule: z
    .object({
      preset: z.enum(['hourly', 'daily', 'weekdays', 'weekly']),
      time: z.string(),
      weekday: z.string().nullable(),
      timezone: z.string(),
      in_words: z.string(),
    })
    .nullable(),
  /** Null of a routine. */
  condition: z.string().nullable(),
  keywords: z.array(z.string()),
  is_enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  failures: z.int(),
  /** Why it cannot run on this server; null when it can. */
  fault: z.string().nullable(),
  creator: z.object({ id: z.string(), name: z.string() }),
  created_at: time,
  /** Null of a watch, and while it is paused. */
  next_run_at: time.nullable(),
  /** Of a watch that sets nothing off just now: why, and until when. */
  rest: z.object({ why: z.enum(['just_fired', 'fired_often']), until: time }).nullable(),
  /** The latest runs, newest first. */
  runs: z.array(runSchema),
});

export type TaskShape = z.input<typeof taskSchema>;

export function taskShape(
  task: Task,
  { fires, rest, nowMs }: { fires: readonly FireTable[]; rest: Rest | null; nowMs: number },
): TaskShape {
  const isRoutine = task.kind === 'routine';
  return {
    id: task.id,
    kind: task.kind,
    platform_id: task.platformId,
    channel_id: task.channelId,
    name: task.name,
    prompt: task.prompt,
    schedule: isRoutine ? { ...task.schedule, in_words: scheduleInWords(task.schedule) } : null,
    condition: isRoutine ? null : task.condition,
    keywords: isRoutine ? [] : [...task.keywords],
    is_enabled: task.isEnabled,
    disabled_reason: task.disabledReason,
    failures: task.failures,
    fault: task.fault,
    creator: task.creator,
    created_at: formatMilliseconds(task.createdMs),
    next_run_at:
      isRoutine && task.isEnabled && task.fault === null
        ? formatMilliseconds(runAfter(task.schedule, nowMs))
        : null,
    rest: rest === null ? null : { why: rest.why, until: atMicroseconds(rest.untilUs) },
    runs: fires.map((fire) => ({
      id: fire.fire_id,
      due_at: atMicroseconds(fire.due_us),
      state: fire.state,
      outcome: fire.outcome,
      detail: fire.detail,
      count: fire.count,
      session_id: fire.session_id,
      ended_at: fire.ended_us === null ? null : atMicroseconds(fire.ended_us),
    })),
  };
}

function atMicroseconds(microseconds: number): string {
  return formatMilliseconds(Math.floor(microseconds / 1_000));
}
