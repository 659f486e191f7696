import type { StoreTables } from '@postern/store';

/** Times ending in `_us` are microseconds since the epoch, `_ms` milliseconds; flags are 0 or 1; `_json` is text. */

/** Where a platform's events continue after a restart. */
export interface CursorTable {
  platform_id: string;
  cursor: string;
}

/**
 * Every post of people that concerned a session or could have started one: written before anything is done with
 * it, so that it is neither lost nor handled twice.
 */
export interface MessageTable {
  platform_id: string;
  channel_id: string;
  post_id: string;
  /** Order of arrival. */
  position: number;
  thread_id: string;
  /** Null while it belongs to no session. */
  session_id: string | null;
  author_id: string;
  author_name: string;
  is_bot: number;
  /** Bots' messages in a row up to this one, in its thread, or among the channel's roots; 0 for a person's. */
  hops: number;
  text: string;
  mentions_json: string;
  files_json: string;
  created_ms: number;
  received_us: number;
  state: 'new' | 'held' | 'queued' | 'given' | 'taken' | 'done';
  /** UUID under which the agent got it. */
  agent_uuid: string | null;
  /** What became of it, once it is done. */
  outcome: MessageOutcome | null;
}

export type MessageOutcome =
  /** The agent took it. */
  | 'answered'
  /** Handed to the agent, which ended without a result; the thread says so. */
  | 'failed'
  | 'command'
  /** A typed answer to an open question. */
  | 'answer'
  /** Not for the bot: a side conversation, quiet mode, no mention. */
  | 'ignored'
  /** The author may not; `refused` is where the thread was told. */
  | 'refused'
  | 'denied'
  /** No place for another session. */
  | 'busy'
  /** Taken back by its author, or its session ended before its turn. */
  | 'dropped';

export interface SessionTable {
  session_id: string;
  platform_id: string;
  channel_id: string;
  /** In direct channel mode the channel's id. */
  thread_id: string;
  kind: 'thread' | 'channel';
  state: 'starting' | 'active' | 'interrupted' | 'paused' | 'ended';
  agent_session_id: string;
  /** Whether the agent knows the session, so that it is resumed and not begun. */
  has_begun: number;
  owner_id: string;
  owner_name: string;
  working_dir: string;
  worktree_json: string | null;
  permission_mode: 'default' | 'auto' | 'bypass';
  /** Whether it only answers posts that mention the bot. */
  mentions_only: number;
  is_unattended: number;
  account_id: string | null;
  title: string | null;
  /** Posts it keeps up to date (header, task list), what it cost, and the like. */
  facts_json: string;
  resume_failures: number;
  created_us: number;
  active_us: number;
  ended_us: number | null;
  end_reason: string | null;
}

/** People let into a session by its owner or an allowed user. */
export interface ParticipantTable {
  session_id: string;
  person_id: string;
  person_name: string;
  invited_by: string;
  invited_us: number;
}

/** Tools that got a ✅. */
export interface AllowanceTable {
  session_id: string;
  tool: string;
  allowed_by: string;
  allowed_us: number;
}

export interface DirectMessageTable {
  session_id: string;
  recipient_id: string;
  sent: number;
  /** Whether one is being asked about or sent. */
  is_pending: number;
  is_allowed: number;
}

export interface QuestionTable {
  question_id: string;
  platform_id: string;
  session_id: string | null;
  kind: string;
  channel_id: string;
  thread_id: string | null;
  /** Null until it is posted. */
  post_id: string | null;
  markdown: string;
  options_json: string;
  takes_text: number;
  approvers: string;
  subject_json: string;
  state: 'open' | 'decided' | 'expired' | 'withdrawn';
  decision_json: string | null;
  created_us: number;
  deadline_us: number;
  decided_us: number | null;
  /** `recorded` once its end is in the audit log, `done` once its post says so too. */
  follow_up: 'due' | 'recorded' | 'done';
}

/** A fact that the agents of a channel are told. */
export interface MemoryTable {
  memory_id: string;
  platform_id: string;
  channel_id: string;
  /** Order in the channel. */
  position: number;
  source: 'user' | 'distilled' | 'agent';
  author_id: string;
  author_name: string;
  session_id: string | null;
  text: string;
  /** Of the text without what makes no difference; one a channel. */
  fingerprint: string;
  created_us: number;
  edited_us: number | null;
}

/** How many facts an agent has saved in a session. */
export interface MemorySavesTable {
  session_id: string;
  saves: number;
}

/** A save of an agent's of which its thread is still to be told. */
export interface MemoryNewsTable {
  memory_id: string;
}

/** A standing task: a routine, which runs by the clock, or a watch, which runs by what people write. */
export interface TaskTable {
  task_id: string;
  platform_id: string;
  channel_id: string;
  kind: 'routine' | 'watch';
  name: string;
  /** What each run is told to do. */
  prompt: string;
  /** The schedule of a routine; condition and keywords of a watch. */
  spec_json: string;
  is_enabled: number;
  /** Why the bot itself switched it off. */
  disabled_reason: string | null;
  /** The run with which it did, until its channel has been told. */
  off_fire_id: string | null;
  /** Runs in a row that failed. */
  failures: number;
  created_by: string;
  creator_name: string;
  created_us: number;
  /** Of a routine, up to when its runs are on record; of a watch, when it last set off. */
  mark_us: number;
}

/** One run of a standing task, or a look at a message that may become one. The key makes it happen once. */
export interface FireTable {
  fire_id: string;
  unique_key: string;
  platform_id: string;
  channel_id: string;
  /** Null while, or since, no watch is known that the message sets off. */
  task_id: string | null;
  state: 'looking' | 'due' | 'missed' | 'running' | 'done';
  /** What became of it, once it is done. */
  outcome: FireOutcome | null;
  /** A sentence. */
  detail: string | null;
  /** How many runs it stands for; more than one only of runs that were missed. */
  count: number;
  due_us: number;
  session_id: string | null;
  ended_us: number | null;
}

export type FireOutcome =
  | 'succeeded'
  | 'failed'
  /** A person ended or interrupted it. */
  | 'stopped'
  /** Its time went by while it could not run. */
  | 'missed'
  /** A message that set nothing off. */
  | 'no_match';

/** What a card that asks to save a standing task is about, kept until the answer is carried out and told. */
export interface ProposalTable {
  question_id: string;
  platform_id: string;
  channel_id: string;
  draft_json: string;
  created_by: string;
  creator_name: string;
  /** Null until a yes is carried out; then the id of the task, or `full` where there was no room for it. */
  outcome: string | null;
}

export interface ThreadsTables extends StoreTables {
  threads_cursors: CursorTable;
  threads_messages: MessageTable;
  threads_sessions: SessionTable;
  threads_participants: ParticipantTable;
  threads_allowances: AllowanceTable;
  threads_direct_messages: DirectMessageTable;
  threads_questions: QuestionTable;
  threads_memories: MemoryTable;
  threads_memory_saves: MemorySavesTable;
  threads_memory_news: MemoryNewsTable;
  threads_tasks: TaskTable;
  threads_fires: FireTable;
  threads_proposals: ProposalTable;
}
