import { type Clock, nowMilliseconds } from '@postern/kit';
import type { ConnectorSink, InboundEvent } from '../../connector.ts';
import type { ChatDatabase } from '../database/chat-database.ts';
import type { SentLedger } from '../ledger.ts';
import { bodyOf } from './body.ts';
import { type Cursor, formatCursor, type LateRow, MOST_LATE_ROWS, parseCursor } from './cursor.ts';
import { expectedFiles, type TranslationContext, translate, translateChange } from './translate.ts';

/** Rows that are read, and stored, at once. */
const PAGE = 200;
/** Rows before the newest whose changes are looked at; Messages lets people change for 15 minutes. */
const CHANGE_WINDOW = 1_000;
const CHANGES_AT_ONCE = 50;
/** What is older than this at the first start is history, even when iCloud brings it later. */
const HISTORY_MS = 15 * 60_000;
/** A row that is not complete holds up those behind it this long; later it comes out of order. */
const HOLD_MS = 2_000;
/** How long a row is waited for that Messages has not completed, and files that it still receives. */
const UNFINISHED_MS = 10 * 60_000;
const FILES_MS = 24 * 60 * 60_000;
/** Another database is read from this long before the newest message of the one before. */
const OVERLAP_MS = 60 * 60_000;

export interface FollowerSettings {
  readonly chatDb: string;
  readonly region: string;
  readonly groups: boolean;
}

/** The hub's own part in a failure, to be told apart from the database's. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}

/**
 * Hands new messages of the database to the sink, each page with the cursor behind it. What is kept beside the cursor
 * only saves work: a follower that starts again from a stored cursor hands over the same, and the sink knows what it
 * has by the guids.
 */
export class Follower {
  readonly #settings: FollowerSettings;
  readonly #clock: Clock;
  readonly #ledger: SentLedger;
  readonly #sink: ConnectorSink;
  #cursor: Cursor | null;
  #version: number | null = null;
  #held: { row: number; sinceMs: number } | null = null;
  /** Late files that were handed over, by guid. */
  readonly #given = new Set<string>();
  /** What was handed over of changed rows, by ROWID. */
  readonly #changes = new Map<number, string>();

  constructor(
    settings: FollowerSettings,
    ports: { clock: Clock; ledger: SentLedger; sink: ConnectorSink },
    stored: string | null,
  ) {
    this.#settings = settings;
    this.#clock = ports.clock;
    this.#ledger = ports.ledger;
    this.#sink = ports.sink;
    this.#cursor = stored === null ? null : parseCursor(stored);
  }

  /** To be called with a database that was just opened. */
  async begin(database: ChatDatabase): Promise<void> {
    this.#version = null;
    if (this.#cursor === null) {
      const now = nowMilliseconds(this.#clock);
      const first = { newestMs: now, sinceMs: now - HISTORY_MS, late: [] };
      await this.#store([], at(first, database.newestRow(), database));
    }
    this.#changes.clear();
  }

  /** What is in the file may be another database than the cursor is of: restored, or made anew with the same ROWIDs. */
  async #recognize(database: ChatDatabase): Promise<void> {
    const cursor = this.#at;
    if (!isAnother(database, cursor)) return;
    this.#changes.clear();
    const row = database.rowBefore(cursor.newestMs - OVERLAP_MS);
    await this.#store([], at({ ...cursor, late: [] }, row, database));
  }

  /** One look. @returns whether there was anything new, or something is waited for shortly. */
  async look(database: ChatDatabase): Promise<boolean> {
    // Taken before the rows: what is committed in between is looked at once more, and not missed.
    const version = database.version();
    const isNew = version !== this.#version || this.#held !== null;
    if (isNew) {
      await this.#recognize(database);
      await this.#readChanges(database);
      while (await this.#readPage(database));
    }
    await this.#readLate(database, isNew);
    this.#version = version;
    return isNew;
  }

  get #at(): Cursor {
    if (this.#cursor === null) throw new Error('the follower has not begun');
    return this.#cursor;
  }

  async #readPage(database: ChatDatabase): Promise<boolean> {
    const cursor = this.#at;
    const page = database.messagesAfter(cursor.row, PAGE);
    if (page === null) {
      this.#held = null;
      return false;
    }
    const context = this.#contextOf(database);
    const events: InboundEvent[] = [];
    const late: LateRow[] = [];
    // Marks of changes before the rows: what changes in between is looked at once more.
    const changes = database.changes(cursor.row, page.throughRow);
    let newestMs = cursor.newestMs;
    let throughRow = page.throughRow;
    for (const row of page.messages) {
      const translation = translate(row, context);
      if (translation.kind === 'unfinished') {
        if (this.#holdsUp(row.row)) {
          throughRow = row.row - 1;
          break;
        }
        late.push(this.#late(row.row, false));
      } else if (translation.kind === 'message') {
        events.push(translation.event);
        newestMs = Math.max(newestMs, translation.event.timestampMs);
        if (translation.coming.length > 0) late.push(this.#late(row.row, true));
      }
    }
    if (throughRow <= cursor.row) return false;
    const next = { ...cursor, newestMs, late: [...cursor.late, ...late] };
    const { kept, dropped } = bounded(next.late);
    const given = dropped.flatMap((row) => this.#givenUp(database, row));
    await this.#store([...events, ...given], at({ ...next, late: kept }, throughRow, database));
    for (const { row, change } of changes) if (row <= throughRow) this.#changes.set(row, change);
    this.#forgetOldChanges(throughRow);
    return throughRow === page.throughRow;
  }

  /** Whether to wait for a row before what is behind it. */
  #holdsUp(row: number): boolean {
    const now = nowMilliseconds(this.#clock);
    // Anew, too, when the clock was set back.
    if (this.#held?.row !== row || this.#held.sinceMs > now) this.#held = { row, sinceMs: now };
    const holds = now - this.#held.sinceMs < HOLD_MS;
    if (!holds) this.#held = null;
    return holds;
  }

  /** Edits, and messages that were taken back. */
  async #readChanges(database: ChatDatabase): Promise<void> {
    const cursor = this.#at;
    const context = this.#contextOf(database);
    const found = database
      .changes(cursor.row - CHANGE_WINDOW, cursor.row)
      .filter(({ row, change }) => this.#changes.get(row) !== change);
    for (let start = 0; start < found.length; start += CHANGES_AT_ONCE) {
      const some = found.slice(start, start + CHANGES_AT_ONCE);
      const events = some.flatMap(({ row: number }) => {
        const row = database.message(number);
        const translation = row === null ? null : translateChange(row, context);
        return translation?.kind === 'change' ? [translation.event] : [];
      });
      if (events.length > 0) await this.#store(events, cursor);
      for (const { row, change } of some) this.#changes.set(row, change);
    }
  }

  /** Rows that were not complete when they were met. */
  async #readLate(database: ChatDatabase, isNew: boolean): Promise<void> {
    const cursor = this.#at;
    if (cursor.late.length === 0) return;
    const context = this.#contextOf(database);
    const events: InboundEvent[] = [];
    const late: LateRow[] = [];
    for (const one of cursor.late) {
      const isOver = nowMilliseconds(this.#clock) >= one.untilMs;
      const { events: found, rest } = one.handedOver
        ? this.#lateFiles(database, one, isOver)
        : isNew || isOver
          ? this.#lateMessage(database, one, context, isOver)
          : { events: [], rest: one };
      events.push(...found);
      if (rest !== null) late.push(rest);
    }
    if (events.length > 0 || late.length !== cursor.late.length)
      await this.#store(events, { ...cursor, late });
  }

  #lateMessage(database: ChatDatabase, late: LateRow, context: TranslationContext, isOver: boolean) {
    const row = database.message(late.row);
    const translation = row === null ? { kind: 'nothing' as const } : translate(row, context);
    if (translation.kind === 'message') {
      const rest = translation.coming.length > 0 ? this.#late(late.row, true) : null;
      return { events: [translation.event], rest };
    }
    return { events: [], rest: translation.kind === 'unfinished' && !isOver ? late : null };
  }

  /** Files of a message that was handed over: those that came, and those that never will. */
  #lateFiles(database: ChatDatabase, late: LateRow, isOver: boolean) {
    const row = database.message(late.row);
    if (row === null) return { events: [], rest: null };
    const files = expectedFiles(row, bodyOf(row), this.#contextOf(database));
    const settled = files.filter(({ state }) => isOver || state !== 'coming');
    const events = settled
      .filter(({ guid }) => !this.#given.has(guid))
      .map(
        ({ guid, state, attachment }): InboundEvent => ({
          kind: 'attachment',
          platformId: row.guid,
          key: guid,
          attachment: state === 'ready' ? attachment : null,
        }),
      );
    return { events, rest: settled.length < files.length ? late : null };
  }

  #givenUp(database: ChatDatabase, late: LateRow): InboundEvent[] {
    return late.handedOver ? this.#lateFiles(database, late, true).events : [];
  }

  #late(row: number, handedOver: boolean): LateRow {
    const untilMs = nowMilliseconds(this.#clock) + (handedOver ? FILES_MS : UNFINISHED_MS);
    return { row, untilMs, handedOver };
  }

  #contextOf(database: ChatDatabase): TranslationContext {
    return {
      ...this.#settings,
      database,
      ledger: this.#ledger,
      // A clock that was ahead at the first start has been set right since.
      sinceMs: Math.min(this.#at.sinceMs, nowMilliseconds(this.#clock) - HISTORY_MS),
      nowMs: () => nowMilliseconds(this.#clock),
    };
  }

  /** The cursor moves here when, and only when, it is stored. */
  async #store(events: readonly InboundEvent[], cursor: Cursor): Promise<void> {
    try {
      await this.#sink.accept(events, formatCursor(cursor));
    } catch (error) {
      throw new StoreFailure('what came could not be stored', { cause: error });
    }
    this.#cursor = cursor;
    for (const event of events) if (event.kind === 'attachment') this.#given.add(event.key);
    if (cursor.late.length === 0) this.#given.clear();
  }

  #forgetOldChanges(row: number): void {
    for (const known of this.#changes.keys()) {
      if (known > row - CHANGE_WINDOW) return;
      this.#changes.delete(known);
    }
  }
}

function at(cursor: Omit<Cursor, 'row' | 'guid'>, row: number, database: ChatDatabase): Cursor {
  return { ...cursor, row, guid: database.guidOf(row) };
}

/** Whether ROWIDs of the cursor mean nothing here, as after a move to another Mac. */
function isAnother(database: ChatDatabase, cursor: Cursor): boolean {
  const guid = database.guidOf(cursor.row);
  if (guid !== null && cursor.guid !== null) return guid !== cursor.guid;
  return database.newestRowEver() < cursor.row;
}

function bounded(late: readonly LateRow[]): { kept: LateRow[]; dropped: LateRow[] } {
  const excess = Math.max(0, late.length - MOST_LATE_ROWS);
  return { kept: late.slice(excess), dropped: late.slice(0, excess) };
}
