import type { AuditLine } from '../api/threads.ts';
import { byteSize } from '../lib/names.ts';
import { permissionModes } from './words.tsx';

/** What the lines of the record say to people: words for codes, and apart from them what only programs compare. */

export const actionWords: Readonly<Record<string, string>> = {
  tool_use: 'Tool used',
  permission: 'Permission',
  plan: 'Plan',
  choice: 'Question of an agent',
  direct_message: 'Direct message',
  outsider_message: 'Message of an outsider',
  routine: 'Routine',
  watch: 'Watch',
  worktree: 'Branch asked for',
  proposal: 'Proposal of an agent',
  reaction_refused: 'Reaction refused',
  command: 'Command',
  file_sent: 'File sent',
  memory: 'Memory',
  session_started: 'Session started',
  session_resumed: 'Session resumed',
  session_interrupted: 'Session interrupted',
  session_paused: 'Session paused',
  session_ended: 'Session ended',
  session_failed: 'Agent failed',
  session_refused: 'Session refused',
  torn_line: 'Torn line',
};

export function actionText(action: string): string {
  return actionWords[action] ?? words(action);
}

const actors: Readonly<Record<string, string>> = {
  agent: 'the agent',
  system: 'Postern',
  distilled: 'the model that looks through ended sessions',
};

/** Who did it; the id beside a name tells apart people of the same name. */
export function actorText({ actor, actor_name }: Pick<AuditLine, 'actor' | 'actor_name'>): string {
  return actor_name ?? actors[actor] ?? actor.replace(/^console:/, '');
}

export interface Detail {
  readonly label: string;
  readonly text: string;
}

export interface Details {
  readonly told: readonly Detail[];
  /** Ids and hashes, by which lines and files are compared. */
  readonly marks: readonly Detail[];
}

const MARKS = new Set([
  'input_hash',
  'toolUseId',
  'question',
  'task',
  'memory',
  'sha256',
  'recipient',
  'for',
]);
/** What goes without saying when it is so. */
const EXPECTED: Readonly<Record<string, unknown>> = { isSubagent: false, done: true };

const labels: Readonly<Record<string, string>> = {
  isSubagent: 'by a subagent',
  workingDir: 'folder',
  permissionMode: 'permissions',
  act: 'what',
  event: 'what',
  via: 'how',
  done: 'carried out',
  mime: 'kind of file',
  input_hash: 'hash of the input',
  toolUseId: 'use of the tool',
  for: 'for the person',
};

const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  decision: {
    allow: 'allowed',
    always: 'allowed for the whole session',
    deny: 'denied',
    once: 'let in once',
    invite: 'invited',
    skip: 'without a branch',
    answered: 'answered in words',
    expired: 'nobody answered in time, which is a no',
    withdrawn: 'closed without an answer',
  },
  reason: {
    no_approver: 'may not answer it',
    late: 'it was closed already',
    expired: 'nobody answered in time',
    restarted: 'Postern was restarted',
    cancelled: 'the agent took it back',
    session_ended: 'the session ended',
    superseded: 'a newer question took its place',
  },
  via: { reaction: 'by a reaction', typed: 'in words', console: 'in the console' },
  permissionMode: permissionModes,
  why: { idle: 'nothing was said for long enough', room: 'another session needed its place' },
};

/** Names of details are written with underscores or in camel case. */
function words(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** Details whose values are codes and never what people wrote. */
const CODED = new Set(['act', 'decision', 'event', 'kind', 'option', 'outcome', 'source']);

function valueText(name: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return name === 'bytes' ? byteSize(value) : value.toLocaleString();
  if (typeof value !== 'string') return JSON.stringify(value);
  const known = values[name]?.[value];
  if (known !== undefined) return known;
  return CODED.has(name) ? words(value) : value;
}

export function detailsOf({ details }: Pick<AuditLine, 'details'>): Details {
  const told: Detail[] = [];
  const marks: Detail[] = [];
  for (const [name, value] of Object.entries(details)) {
    if (EXPECTED[name] === value || value === null) continue;
    const detail = { label: labels[name] ?? words(name), text: valueText(name, value) };
    if (MARKS.has(name)) marks.push(detail);
    else told.push(detail);
  }
  return { told, marks };
}
