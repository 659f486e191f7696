import { storableText } from '@postern/kit';
import * as z from 'zod';
import { isKnownZone, readSchedule, type Schedule, scheduleInWords } from '../routines/schedule.ts';
import type { TaskTable } from '../tables.ts';
import { keywordsOf } from '../watches/keywords.ts';

/** Standing tasks: what is done later without anybody asking for it then. */

export type TaskKind = 'routine' | 'watch';

export interface RoutineDraft {
  readonly kind: 'routine';
  readonly name: string;
  readonly prompt: string;
  readonly schedule: Schedule;
}

export interface WatchDraft {
  readonly kind: 'watch';
  readonly name: string;
  readonly prompt: string;
  /** In natural language. */
  readonly condition: string;
  /** Folded; a message without any of them is not looked at. */
  readonly keywords: readonly string[];
}

export type TaskDraft = RoutineDraft | WatchDraft;

export type Task = TaskDraft & {
  readonly id: string;
  readonly platformId: string;
  readonly channelId: string;
  readonly isEnabled: boolean;
  readonly disabledReason: string | null;
  readonly failures: number;
  /** Why it cannot run in this process, in a few words; null when it can. */
  readonly fault: string | null;
  readonly creator: { readonly id: string; readonly name: string };
  readonly createdMs: number;
  /** Of a routine, up to when its runs are on record; of a watch, when it last set off. */
  readonly markUs: number;
};

export const LONGEST_NAME = 100;
export const LONGEST_PROMPT = 4_000;
export const LONGEST_CONDITION = 1_000;

export type DraftReading =
  | { readonly ok: true; readonly draft: TaskDraft }
  | { readonly ok: false; readonly reason: string };

const loose = z.object({
  name: z.string(),
  prompt: z.string(),
  schedule: z.unknown().optional(),
  condition: z.string().optional(),
  keywords: z.array(z.string()).optional(),
});

const TAKES: Readonly<Record<TaskKind, string>> = {
  routine: 'A routine takes a name and a prompt, both texts.',
  watch: 'A watch takes a name, a condition and a prompt, all texts, and keywords, a list of texts.',
};

/**
 * Reads a draft from an untrusted value, by the same rules whoever proposes it. What is too long is refused, since
 * a task that is cut is another task.
 */
export function readDraft(kind: TaskKind, value: unknown, defaultZone: string): DraftReading {
  const parsed = loose.safeParse(value);
  if (!parsed.success) return { ok: false, reason: TAKES[kind] };
  const name = storableText(parsed.data.name).replaceAll(/\s+/g, ' ').trim();
  const prompt = storableText(parsed.data.prompt).trim();
  const fault = textFault('name', name, LONGEST_NAME) ?? textFault('prompt', prompt, LONGEST_PROMPT);
  if (fault !== null) return { ok: false, reason: fault };
  if (kind === 'routine') {
    const reading = readSchedule(parsed.data.schedule, defaultZone);
    return reading.ok ? { ok: true, draft: { kind, name, prompt, schedule: reading.schedule } } : reading;
  }
  const condition = storableText(parsed.data.condition ?? '').trim();
  const conditionFault = textFault('condition', condition, LONGEST_CONDITION);
  if (conditionFault !== null) return { ok: false, reason: conditionFault };
  const keywords = keywordsOf(parsed.data.keywords ?? []);
  return keywords.ok
    ? { ok: true, draft: { kind, name, prompt, condition, keywords: keywords.keywords } }
    : keywords;
}

function textFault(what: string, text: string, longest: number): string | null {
  if (text === '') return `The ${what} is empty.`;
  const length = [...text].length;
  return length > longest ? `The ${what} has ${length} characters; at most ${longest} are taken.` : null;
}

const scheduleSpec = z.object({
  preset: z.enum(['hourly', 'daily', 'weekdays', 'weekly']),
  time: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/),
  weekday: z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']).nullable(),
  timezone: z.string(),
});
const watchSpec = z.object({ condition: z.string(), keywords: z.array(z.string()) });

export function specOf(draft: TaskDraft): string {
  return JSON.stringify(
    draft.kind === 'routine' ? draft.schedule : { condition: draft.condition, keywords: draft.keywords },
  );
}

export function taskOf(row: TaskTable): Task {
  const common = {
    id: row.task_id,
    platformId: row.platform_id,
    channelId: row.channel_id,
    name: row.name,
    prompt: row.prompt,
    isEnabled: row.is_enabled === 1,
    disabledReason: row.disabled_reason,
    failures: row.failures,
    creator: { id: row.created_by, name: row.creator_name },
    createdMs: Math.floor(row.created_us / 1_000),
    markUs: row.mark_us,
  };
  const spec = parsed(row.spec_json);
  if (row.kind === 'routine') {
    const schedule = scheduleSpec.safeParse(spec).data;
    if (schedule === undefined)
      return { ...common, kind: 'routine', schedule: NO_SCHEDULE, fault: UNREADABLE };
    const fault = isKnownZone(schedule.timezone)
      ? null
      : `its time zone ${schedule.timezone} is not known to this server`;
    return { ...common, kind: 'routine', schedule, fault };
  }
  const watch = watchSpec.safeParse(spec).data;
  return watch === undefined
    ? { ...common, kind: 'watch', condition: '', keywords: [], fault: UNREADABLE }
    : { ...common, kind: 'watch', ...watch, fault: null };
}

const UNREADABLE = 'what is on record of it cannot be read';
/** Stands for one that cannot be read, so that the task can be seen and deleted; nothing runs by it. */
const NO_SCHEDULE: Schedule = { preset: 'daily', time: '00:00', weekday: null, timezone: 'UTC' };

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** When it runs, in a few words. */
export function occasionOf(draft: TaskDraft): string {
  return draft.kind === 'routine' ? scheduleInWords(draft.schedule) : `when: ${draft.condition}`;
}

export const SIGN: Readonly<Record<TaskKind, string>> = { routine: '🕘', watch: '👁️' };
