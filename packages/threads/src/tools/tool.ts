import type { Log } from '@postern/http/mcp';
import type { Annotations, Clock } from '@postern/kit';
import type * as z from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { SessionMemory } from '../memory/session-memory.ts';
import type { Platform } from '../platforms/platform.ts';
import type { PermissionAnswer } from '../questions/ask.ts';
import type { Questions } from '../questions/question.ts';
import type { TaskDesk } from '../unattended/desk.ts';

/** What a tool answers: as one text block of JSON, and the same as structured content. */
export type ToolAnswer =
  | ({ readonly ok: true } & Readonly<Record<string, unknown>>)
  | { readonly ok: false; readonly reason: string };

/** A tool of `claude-threads-mcp`, written once: its schema for the child, its handler for the bot. */
export interface ThreadTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** What a model reads: when to call it, what it takes, what it answers. */
  readonly description: string;
  /** Unknown arguments are ignored; numbers may come as strings. */
  readonly input: Input;
  readonly annotations: Annotations;
  /** Feature that has to be on in the session; null is always there. Standalone none is on. */
  readonly feature: ToolFeature | null;
  /** May throw, which is answered as a failure. `permission_prompt` alone gives a permission answer. */
  run(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer | PermissionAnswer>;
}

/** Keeps the input's type between schema and handler. */
export function defineTool<Input extends z.ZodObject>(tool: ThreadTool<Input>): ThreadTool<Input> {
  return tool;
}

/** A refusal, as a sentence for the model. */
export function refuse(reason: string): ToolAnswer {
  return { ok: false, reason };
}

export type ToolFeature =
  | 'memory'
  | 'memory_write'
  | 'routines'
  | 'routine_proposals'
  | 'watches'
  | 'watch_proposals';

/** The session a tool acts for, in the bot or standalone. Facts are read anew for each call. */
export interface ToolSession {
  readonly id: string;
  readonly channelId: string;
  /** Null when the whole channel is the session. */
  readonly threadId: string | null;
  readonly workingDir: string;
  /** Folder of the files people sent into the session. */
  readonly uploadDir: string | null;
  /** Null only standalone, where nobody is named. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly isUnattended: boolean;
}

export interface ToolContext {
  readonly platform: Platform;
  readonly session: ToolSession;
  readonly questions: Questions;
  readonly audit: Audit;
  readonly outboundFiles: { readonly enabled: boolean; readonly maxBytes: number };
  /** Folders whose files are never sent: the product's own data and configuration. */
  readonly deniedPaths: readonly string[];
  readonly directMessages: DirectMessageLedger;
  readonly allowances: ToolAllowances;
  /** Features that are on in this session; their tools are refused otherwise. */
  readonly features: ReadonlySet<ToolFeature>;
  /** What the channel remembers; null where memory is off, and standalone. */
  readonly memory: SessionMemory | null;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a permission waits for a person, in milliseconds. */
  readonly permissionTimeoutMs: number;
  /** How long a plan or a question waits, in milliseconds. */
  readonly decisionTimeoutMs: number;
  /** Routines and watches of the platform; null standalone. */
  readonly tasks: TaskDesk | null;
  /** Who may answer this session's permission questions. */
  readonly approvals: 'owner' | 'all_users';
  /** Aborts when the agent cancels the call or its process ends. */
  readonly signal: AbortSignal;
}

/** How many direct messages a session has sent to whom, and who needs no more asking. */
export interface DirectMessageLedger {
  /** Takes one of the recipient's slots and gives how to give it back; null when none is left or one is pending. */
  take(
    recipientId: string,
  ): Promise<{ giveBack(): Promise<void>; done(): Promise<void> } | 'none_left' | 'pending'>;
  isAllowed(recipientId: string): Promise<boolean>;
  allow(recipientId: string): Promise<void>;
}

/** Tools that got a ✅ in this session. */
export interface ToolAllowances {
  has(tool: string): Promise<boolean>;
  allow(tool: string, by: { readonly id: string; readonly name: string }): Promise<void>;
}
