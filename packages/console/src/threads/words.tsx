import type { Question, SessionState, ThreadPlatform, ThreadSession } from '../api/threads.ts';
import { Badge } from '../ui/badge.tsx';

type Kind = 'plain' | 'accent' | 'warn' | 'danger' | 'good';

const sessionStates: Readonly<Record<SessionState, { kind: Kind; text: string }>> = {
  starting: { kind: 'accent', text: 'starting' },
  active: { kind: 'good', text: 'active' },
  interrupted: { kind: 'warn', text: 'interrupted' },
  paused: { kind: 'plain', text: 'paused' },
  ended: { kind: 'plain', text: 'ended' },
};

export function SessionBadge({ state }: { readonly state: SessionState }) {
  const { kind, text } = sessionStates[state];
  return <Badge kind={kind}>{text}</Badge>;
}

export const permissionModes: Readonly<Record<ThreadSession['permission_mode'], string>> = {
  default: 'asks before it acts',
  auto: 'the agent decides what needs asking',
  bypass: 'asks for nothing',
};

const platformStates: Readonly<Record<ThreadPlatform['status'], Kind>> = {
  connecting: 'accent',
  ok: 'good',
  degraded: 'warn',
  failed: 'danger',
  standby: 'plain',
  stopped: 'plain',
};

export function PlatformBadge({ status }: { readonly status: ThreadPlatform['status'] }) {
  return <Badge kind={platformStates[status]}>{status}</Badge>;
}

const questionKinds: Readonly<Record<string, string>> = {
  permission: 'Permission',
  plan: 'Plan',
  choice: 'Question',
  direct_message: 'Direct message',
  outsider_message: 'Message of an outsider',
  routine: 'Routine',
  watch: 'Watch',
  worktree: 'Worktree',
};

export function questionKind({ kind }: Pick<Question, 'kind'>): string {
  return questionKinds[kind] ?? kind.replaceAll('_', ' ');
}

const approverWords: Readonly<Record<Question['approvers'], string>> = {
  all_users: 'the owner, allowed users and guests of the session',
  owner: 'the owner and those the owner invited',
  owner_or_allowed: 'the owner and allowed users',
};

export function approversText({ approvers }: Pick<Question, 'approvers'>): string {
  return approverWords[approvers];
}

const reasonWords: Readonly<Record<string, string>> = {
  expired: 'Nobody answered in time; that counts as no',
  restarted: 'Postern was restarted; that counts as no',
  cancelled: 'The agent took it back',
  session_ended: 'The session ended',
  superseded: 'A newer question took its place',
};

/** Who decided what, in a sentence. */
export function decisionText({ decision, options }: Pick<Question, 'decision' | 'options'>): string {
  if (decision === null) return '';
  const { by, option, text, reason } = decision;
  if (by === null) return reasonWords[reason ?? ''] ?? 'It was closed';
  const how = by.via === 'console' ? 'in the console' : by.via === 'typed' ? 'in words' : 'by reaction';
  if (text !== null) return `${by.name} answered ${how}: ${text}`;
  const label = options.find(({ key }) => key === option)?.label ?? option ?? '';
  return `${by.name} chose “${label}” ${how}`;
}

/** Options that let something happen once, which is the usual yes. */
const YES = new Set(['allow', 'approve', 'once']);

export function isYes(option: string): boolean {
  return YES.has(option);
}
