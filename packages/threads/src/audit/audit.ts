/** The record of what happened on a platform, one line of JSON each, chained by hashes; see threads contract 6. */
export interface Audit {
  /** Appends a line. Resolves when it is in the file; a failure is logged and reported by `health`, never thrown. */
  record(platformId: string, entry: AuditEntry): Promise<void>;
}

/** The audit log with what those who run and read it need; see `openAudit`. */
export interface AuditLog extends Audit {
  /** A page of a platform's lines, newest first. */
  page(platformId: string, filter: AuditFilter): Promise<AuditPage>;
  health(): { readonly status: 'ok' | 'failed'; readonly detail?: string };
  /** Writes what waits, then closes. */
  close(): Promise<void>;
}

export interface AuditFilter {
  readonly action?: AuditAction | undefined;
  readonly sessionId?: string | undefined;
  /** Who did it, by id or by name. */
  readonly person?: string | undefined;
  /** Anywhere in the line, in any case. */
  readonly text?: string | undefined;
  /** Where the page before ended, {@link AuditPage.next}. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface AuditPage {
  readonly lines: readonly AuditLine[];
  /** Where older lines go on, null where there are none. A page may be short, even empty, and still go on. */
  readonly next: string | null;
}

/** A line of the file, as it stands there. */
export interface AuditLine {
  readonly seq: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly platform: string;
  readonly action: string;
  readonly session: string | null;
  readonly channel: string | null;
  readonly thread: string | null;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly tool: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** `hash` of the line before; zeros on the first. */
  readonly prev: string;
  /** SHA-256, in hex, of this line without this field. */
  readonly hash: string;
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
  | 'proposal'
  /** Says that the bytes before it are no line: what a crash left of one, or what somebody has made of it. */
  | 'torn_line';
