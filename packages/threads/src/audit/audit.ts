/** The record of what happened on a platform, one line of JSON each, chained by hashes; see threads contract 6. */
export interface Audit {
  /** Appends a line. Resolves when it is in the file; a failure is logged and reported by `health`, never thrown. */
  record(platformId: string, entry: AuditEntry): Promise<void>;
}

export interface AuditEntry {
  readonly action: AuditAction;
  readonly sessionId?: string | null;
  readonly channelId?: string | null;
  readonly threadId?: string | null;
  /** Who did it: a person's id on the platform, `agent`, `system`, or `console:<operator>`. */
  readonly actor: string;
  readonly actorName?: string;
  /** Name of the tool concerned. */
  readonly tool?: string;
  /** Small, JSON; secrets and file contents never. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export type AuditAction =
  | 'tool_use'
  | 'permission'
  | 'plan'
  | 'choice'
  | 'direct_message'
  | 'outsider_message'
  | 'routine'
  | 'watch'
  | 'worktree'
  | 'reaction_refused'
  | 'session_started'
  | 'session_resumed'
  | 'session_interrupted'
  | 'session_paused'
  | 'session_ended'
  | 'session_failed'
  | 'session_refused'
  | 'command'
  | 'file_sent'
  | 'memory'
  | 'proposal';
