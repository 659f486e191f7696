import { sanitizeName } from '@postern/kit';
import { codeBlock, inLine, visible } from '../questions/shown-input.ts';
import { hostZone, runAfter, wallClock } from '../routines/schedule.ts';
import type { Typed } from '../typed.ts';
import { MOST_A_DAY, type Rest } from '../watches/rest.ts';
import type { Proposal } from './proposals.ts';
import { occasionOf, SIGN, type Task, type TaskDraft } from './task.ts';

/** What the posts about standing tasks say. Names and prompts come from people and models, so all is made visible. */

const RUNS_SHOWN = 3;

export function nameOf(task: Pick<TaskDraft, 'name'>): string {
  return `**${inLine(task.name)}**`;
}

export function personName({ id, name }: { readonly id: string; readonly name: string }): string {
  return inLine(sanitizeName(name, id));
}

/** The card on which people decide: all of the draft, and when it would run. */
export function cardText(
  draft: TaskDraft,
  { isByAgent, creator }: Pick<Proposal, 'isByAgent' | 'creator'>,
  nowMs: number,
): string {
  const title = isByAgent ? `Claude proposes ${draft.kind}` : `New ${draft.kind}`;
  const asked = isByAgent ? 'Asked for in the session of' : 'Asked for by';
  const lines = [
    `${SIGN[draft.kind]} ${title} ${nameOf(draft)}`,
    `${asked} ${personName(creator)}, for whom it would run`,
    ...occasionLines(draft, nowMs),
  ];
  return [...lines, 'What each run is told:', codeBlock(visible(draft.prompt))].join('\n');
}

/** What a channel is told of a task that stands from now on. */
export function savedText(
  draft: TaskDraft,
  creator: { readonly id: string; readonly name: string },
  typed: Typed,
): string {
  const what = `${SIGN[draft.kind]} The ${draft.kind} ${nameOf(draft)} is saved`;
  const list = draft.kind === 'routine' ? 'routines' : 'watches';
  return `${what}: ${inLine(occasionOf(draft))}, for ${personName(creator)}. ${typed(list)} lists them.`;
}

function occasionLines(draft: TaskDraft, nowMs: number): string[] {
  if (draft.kind === 'watch') {
    const words = draft.keywords.map((word) => `“${inLine(word)}”`).join(', ');
    return [
      'Fires when a message meets this condition:',
      codeBlock(visible(draft.condition)),
      `Looks only at messages with ${words}`,
    ];
  }
  const runs: string[] = [];
  for (let at = nowMs; runs.length < RUNS_SHOWN; ) {
    at = runAfter(draft.schedule, at);
    runs.push(wallClock(at, draft.schedule.timezone));
  }
  return [`Runs ${occasionOf(draft)}`, `Next: ${runs.join(' · ')}`];
}

/** One line of `!routines` and `!watches`. @param rest Of a watch that sets nothing off just now. */
export function listLine(task: Task, number: number, nowMs: number, rest: Rest | null): string {
  const occasion =
    task.kind === 'routine'
      ? occasionOf(task)
      : `when ${inLine(task.condition)} (${task.keywords.map(inLine).join(', ')})`;
  return `${number}. ${nameOf(task)} · ${occasion} · ${stateText(task, nowMs, rest)} · by ${personName(task.creator)}`;
}

function stateText(task: Task, nowMs: number, rest: Rest | null): string {
  if (!task.isEnabled) {
    return task.disabledReason === null ? '⏸️ paused' : `⛔ switched off: ${task.disabledReason}`;
  }
  if (task.fault !== null) return `⚠️ cannot run: ${inLine(task.fault)}`;
  if (task.kind === 'watch') return rest === null ? 'on' : restText(rest);
  return `next ${wallClock(runAfter(task.schedule, nowMs), task.schedule.timezone)}`;
}

function restText({ why, untilUs }: Rest): string {
  const until = `on, rests until ${wallClock(Math.floor(untilUs / 1_000), hostZone())} (${hostZone()})`;
  return why === 'just_fired'
    ? `${until}, as after each run`
    : `${until}, since it has fired ${MOST_A_DAY} times in 24 hours`;
}
