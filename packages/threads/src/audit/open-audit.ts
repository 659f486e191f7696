import type { Log } from '@postern/http';
import { type Clock, formatMicroseconds } from '@postern/kit';
import { appendLines, type LineContent, type Remembered } from './append.ts';
import type { AuditAction, AuditEntry, AuditLog } from './audit.ts';
import { AuditFileError, auditFile, prepareFolder } from './file.ts';
import { type FolderLock, folderLock } from './folder-lock.ts';
import { readAudit } from './read-audit.ts';
import { redactor } from './redact.ts';

export interface AuditPorts {
  /** `<data>/audit`. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a platform keeps an audit log at all. */
  isOn(platformId: string): boolean;
  /** Values that must never stand in it, such as the platforms' tokens. */
  readonly secrets?: readonly string[];
}

/** Lines that could not be written wait for the next try; more than this are given up, the oldest first. */
const MOST_WAITING = 1_000;
const MOST_AT_ONCE = 500;
const LONGEST_NAME = 200;

/** Too many to wait for the disk each time; a killed process loses them no more than the others. */
const NOT_SYNCED: readonly AuditAction[] = ['tool_use'];

interface Waiting {
  readonly content: LineContent;
  readonly sync: boolean;
  written(): void;
}

/**
 * Opens the audit log of all platforms. Lines are written in the order they were recorded, several at a time when
 * they come fast; several processes may write at once. Nothing is ever removed.
 */
export function openAudit({ folder, clock, log, isOn, secrets = [] }: AuditPorts): AuditLog {
  const redact = redactor(secrets);
  const writers = new Map<string, ReturnType<typeof writerOf>>();
  let lock: Promise<FolderLock> | null = null;
  let problem: string | null = null;

  const prepare = async (): Promise<FolderLock> => {
    await prepareFolder(folder);
    return folderLock(folder, clock);
  };

  const locked = async <T>(work: () => Promise<T>): Promise<T> => {
    lock ??= prepare();
    try {
      return (await lock).hold(work);
    } catch (error) {
      // The next one prepares the folder again.
      lock = null;
      throw error;
    }
  };

  const content = (platformId: string, entry: AuditEntry): LineContent => ({
    time: formatMicroseconds(clock.nowMicroseconds()),
    platform: platformId,
    action: entry.action,
    session: entry.sessionId ?? null,
    channel: entry.channelId ?? null,
    thread: entry.threadId ?? null,
    actor: redact.text(entry.actor, LONGEST_NAME),
    actor_name: entry.actorName === undefined ? null : redact.text(entry.actorName, LONGEST_NAME),
    tool: entry.tool === undefined ? null : redact.text(entry.tool, LONGEST_NAME),
    details: redact.details(entry.details ?? {}),
  });

  const writerOf = (platformId: string) => {
    const file = auditFile(folder, platformId);
    const waiting: Waiting[] = [];
    let remembered: Remembered | null = null;
    let running: Promise<void> | null = null;

    const write = async (batch: readonly Waiting[]): Promise<void> => {
      // Somebody may have moved the folder away.
      if (problem !== null) await prepareFolder(folder);
      remembered = await locked(() =>
        appendLines(
          file,
          batch.map((each) => each.content),
          {
            remembered,
            sync: batch.some(({ sync }) => sync),
            note(torn) {
              log.warn({ file, ...torn }, 'the audit log has bytes that are no line; they are set apart');
              return content(platformId, { action: 'torn_line', actor: 'system', details: torn });
            },
          },
        ),
      );
    };

    const flush = async (): Promise<void> => {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, MOST_AT_ONCE);
        try {
          await write(batch);
          waiting.splice(0, batch.length);
          problem = null;
        } catch (error) {
          remembered = null;
          problem = `the audit log of ${platformId} cannot be written: ${error instanceof Error ? error.message : error}`;
          log.error({ err: error, file, waiting: waiting.length }, 'the audit log cannot be written');
          for (const each of waiting) each.written();
          const lost = waiting.splice(0, Math.max(0, waiting.length - MOST_WAITING));
          if (lost.length > 0)
            log.error({ lines: lost.map((each) => each.content) }, 'audit lines are given up');
          return;
        }
        for (const each of batch) each.written();
      }
    };

    return {
      async add(entry: AuditEntry): Promise<void> {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.push({
          content: content(platformId, entry),
          sync: !NOT_SYNCED.includes(entry.action),
          written: resolve,
        });
        running ??= flush().finally(() => {
          running = null;
        });
        return promise;
      },
      async settle(): Promise<void> {
        if (waiting.length > 0) running ??= flush();
        await running;
      },
    };
  };

  return {
    async record(platformId, entry) {
      if (!isOn(platformId)) return;
      try {
        let writer = writers.get(platformId);
        if (writer === undefined) {
          writer = writerOf(platformId);
          writers.set(platformId, writer);
        }
        await writer.add(entry);
      } catch (error) {
        problem = error instanceof AuditFileError ? error.message : 'the audit log cannot be written';
        log.error({ err: error, platform: platformId }, 'something could not be put on record');
      }
    },

    page: (platformId, filter) => readAudit(auditFile(folder, platformId), filter),

    health: () => (problem === null ? { status: 'ok' } : { status: 'failed', detail: problem }),

    async close() {
      for (const writer of writers.values()) await writer.settle();
      const held = await lock?.catch(() => null);
      held?.close();
      lock = null;
    },
  };
}
