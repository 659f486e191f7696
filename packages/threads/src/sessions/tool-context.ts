import type { ThreadsConfig } from '../config.ts';
import { channelMemory } from '../memory/channel-memory.ts';
import { type SessionMemory, sessionMemory } from '../memory/session-memory.ts';
import type { ThreadsPorts } from '../ports.ts';
import type { Questions } from '../questions/question.ts';
import type { SessionTable } from '../tables.ts';
import type { ToolContext } from '../tools/tool.ts';
import { featuresOf } from './features.ts';
import { directMessageLedger, toolAllowances } from './ledgers.ts';
import { sessionById } from './records.ts';
import { approvalsOf, type Room } from './room.ts';

const SECOND_MS = 1_000;

export interface ToolContextOptions {
  readonly ports: ThreadsPorts;
  readonly config: ThreadsConfig;
  readonly questions: Questions;
  readonly rooms: ReadonlyMap<string, Room>;
  uploadDir(sessionId: string): string;
}

function memoryOf(ports: ThreadsPorts, row: SessionTable): SessionMemory {
  return sessionMemory(channelMemory(ports), {
    platformId: row.platform_id,
    channelId: row.channel_id,
    sessionId: row.session_id,
    owner: { id: row.owner_id, name: row.owner_name },
  });
}

/** What the tools of a session work with, read anew for each call; null when it has ended or is not of this process. */
export async function toolContextOf(
  { ports, config, questions, rooms, uploadDir }: ToolContextOptions,
  sessionId: string,
  signal: AbortSignal,
): Promise<ToolContext | null> {
  const { store, clock, log, audit } = ports;
  const row = await sessionById(store.db, sessionId);
  const room = row === null ? undefined : rooms.get(row.platform_id);
  if (row === null || row.state === 'ended' || room === undefined) return null;
  return {
    platform: room.platform,
    session: {
      id: sessionId,
      channelId: row.channel_id,
      threadId: row.kind === 'channel' ? null : row.thread_id,
      workingDir: row.working_dir,
      uploadDir: uploadDir(sessionId),
      owner: { id: row.owner_id, name: row.owner_name },
      isUnattended: row.is_unattended === 1,
    },
    questions,
    audit,
    outboundFiles: room.behaviour.outboundFiles,
    deniedPaths: ports.deniedPaths,
    directMessages: directMessageLedger(store, sessionId),
    allowances: toolAllowances(ports, sessionId),
    features: new Set(featuresOf(room.behaviour, row)),
    memory: room.behaviour.memory ? memoryOf(ports, row) : null,
    clock,
    log,
    permissionTimeoutMs: config.limits.permissionTimeoutSeconds * SECOND_MS,
    decisionTimeoutMs: config.decisionTimeoutMs,
    tasks: room.tasks,
    approvals: approvalsOf(room.behaviour, row),
    signal,
  };
}
