import { basename } from 'node:path';
import { type Clock, nowMilliseconds } from '@postern/kit';
import { type OutboundPart, SendError } from '../../connector.ts';
import { ChatDatabase } from '../database/chat-database.ts';
import type { ChatRow, MessageRow } from '../database/rows.ts';
import { ChatDatabaseTrouble } from '../database/trouble.ts';
import { normalizeAddress } from '../inbound/address.ts';
import { bodyOf } from '../inbound/body.ts';
import { attachmentsFolder } from '../inbound/files.ts';
import type { SentContent, SentLedger } from '../ledger.ts';
import { comparable } from '../same-text.ts';
import type { ScriptOutcome, ScriptRunner } from './osascript.ts';
import { type ScriptPayload, type ScriptTarget, SEND_SCRIPT, scriptArguments } from './script.ts';
import { type StagedFile, stageFile, sweepStagedFiles } from './staged-file.ts';

/** Waits of a send; those of the contract unless a test has shorter ones. */
export interface SendTiming {
  /** Of one run of the script. */
  readonly tryMs: number;
  /** Before each further try, of which there are as many. */
  readonly pausesMs: readonly number[];
  /** No try begins later than this after the first. */
  readonly lastTryMs: number;
  /** How long the message may take to stand in the database. */
  readonly verifyMs: number;
  /** How long Messages may take to say that it is on its way. */
  readonly settleMs: number;
  readonly lookMs: number;
}

export const SEND_TIMING: SendTiming = {
  tryMs: 10_000,
  pausesMs: [500, 2_000, 5_000],
  lastTryMs: 24_000,
  verifyMs: 6_000,
  settleMs: 2_000,
  lookMs: 100,
};

/** AppleScript's numbers. */
const NO_SUCH_OBJECT = -1728;
const NOT_ALLOWED = -1743;
/** An answer that did not come, or a connection that broke: what was asked for may have been done. */
const UNANSWERED = new Set([-1712, -609]);
const OWN_ROWS = 200;
/** Number of `transfer_state` of a file that is out. */
const TRANSFERRED = 5;
/** Rows that were taken for a send, so that the next of the same text waits for its own. */
const MOST_CLAIMED = 500;

export interface SenderPorts {
  readonly chatDb: string;
  readonly region: string;
  readonly clock: Clock;
  readonly ledger: SentLedger;
  readonly run: ScriptRunner;
  readonly timing: SendTiming;
}

/**
 * Sends through Messages, one message at a time, and believes the database alone: AppleScript says that it sent what
 * was never sent, and that it failed where it did not. A script is run again only when it said that it failed and
 * nothing of the message is in the database.
 */
export class Sender {
  readonly #ports: SenderPorts;
  readonly #claimed = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  /** @throws SendError */
  send(part: OutboundPart, signal: AbortSignal): Promise<SentPart> {
    const turn = this.#queue.then(() => {
      if (signal.aborted)
        throw new SendError('failed', 'Messages was busy with other messages for too long.');
      return this.#sendNow(part, signal);
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #sendNow(part: OutboundPart, signal: AbortSignal): Promise<SentPart> {
    if (part.text.trim() === '' && part.attachments.length === 0)
      throw new SendError('failed', 'Messages sends no empty message.');
    const { chatDb, clock } = this.#ports;
    const attachments = attachmentsFolder(chatDb);
    await sweepStagedFiles(attachments, nowMilliseconds(clock));
    let database: ChatDatabase;
    try {
      database = new ChatDatabase(chatDb);
    } catch (error) {
      if (!(error instanceof ChatDatabaseTrouble)) throw error;
      throw new SendError('failed', `Not sent, since it could not be verified: ${error.message}`, {
        cause: error,
      });
    }
    const staged: StagedFile[] = [];
    // Messages copies a file in its own time; where it may still need one, the sweep removes it later.
    let isNeeded = false;
    try {
      for (const file of part.attachments) staged.push(await this.#stage(attachments, file));
      isNeeded = true;
      const sent = await this.#sendContents(database, part, staged, signal);
      isNeeded = sent.isUnderway;
      return sent.part;
    } catch (error) {
      if (error instanceof SendError) {
        if (error.kind !== 'unknown') isNeeded = false;
        throw error;
      }
      throw new SendError('unknown', 'The database could not be read while sending.', { cause: error });
    } finally {
      database.close();
      if (!isNeeded) for (const file of staged) await file.discard();
    }
  }

  async #stage(folder: string, file: OutboundPart['attachments'][number]): Promise<StagedFile> {
    try {
      return await stageFile(folder, file);
    } catch (error) {
      throw new SendError('failed', 'The file could not be put where Messages may read it.', {
        cause: error,
      });
    }
  }

  /** Files first: they are what is more likely refused, and then nothing has been sent. */
  async #sendContents(
    database: ChatDatabase,
    part: OutboundPart,
    staged: readonly StagedFile[],
    signal: AbortSignal,
  ): Promise<{ part: SentPart; isUnderway: boolean }> {
    const contents: Content[] = [
      ...staged.map((file) => ({ file, sent: { fileName: file.name }, payload: { path: file.path } })),
      ...(part.text.trim() === ''
        ? []
        : [{ file: null, sent: { text: part.text }, payload: { text: part.text.replaceAll('\0', '') } }]),
    ];
    const rows: MessageRow[] = [];
    for (const content of contents) {
      try {
        rows.push(await this.#sendOne(database, part.channelId, content, signal));
      } catch (error) {
        if (rows.length === 0 || !(error instanceof SendError)) throw error;
        throw new SendError('unknown', `only a part was sent: ${error.message}`, { cause: error });
      }
    }
    const named = rows.at(-1);
    if (!named) throw new Error('a send without contents');
    const isSent = rows.every(({ sent }) => sent);
    const files = rows.flatMap(({ row }) => database.attachmentsOf(row));
    return {
      part: {
        platformId: named.guid,
        timestampMs: named.dateMs ?? nowMilliseconds(this.#ports.clock),
        raw: {
          guids: rows.map(({ guid }) => guid),
          service: named.service,
          state: isSent ? 'sent' : 'queued',
        },
      },
      isUnderway: !isSent || files.some(({ state }) => state !== TRANSFERRED),
    };
  }

  async #sendOne(
    database: ChatDatabase,
    channelId: string,
    content: Content,
    signal: AbortSignal,
  ): Promise<MessageRow> {
    const { timing, clock } = this.#ports;
    const begun = nowMilliseconds(clock);
    const search: Search = { database, channelId, content, baseline: database.newestRowEver() };
    const targets = this.#targets(database, channelId);
    this.#ports.ledger.note(channelId, content.sent);
    let failure = new SendError('failed', 'Messages took no try.');
    for (const pauseMs of [0, ...timing.pausesMs]) {
      if (nowMilliseconds(clock) - begun > timing.lastTryMs) break;
      await clock.sleep(pauseMs, signal);
      const late = this.#find(search);
      if (late) return this.#settled(search, late, signal);
      if (signal.aborted) break;
      const outcome = await this.#try(search, targets, signal);
      if (outcome.kind === 'not_started')
        throw new SendError('failed', `osascript cannot be started: ${outcome.message}`);
      if (outcome.kind === 'done' || outcome.kind === 'late' || UNANSWERED.has(outcome.error ?? 0)) {
        const found = await this.#wait(search, timing.verifyMs, signal);
        if (found) return this.#settled(search, found, signal);
        throw new SendError('unknown', 'Messages has no such message in its database.');
      }
      if (outcome.error === NOT_ALLOWED) throw new SendError('auth', AUTOMATION);
      if (outcome.error === NO_SUCH_OBJECT && targets.length > 1) targets.shift();
      failure = new SendError('failed', `Messages did not send it: ${outcome.message}`);
      if (this.#hasStrayRow(search))
        throw new SendError('unknown', 'Messages has written something else than the message.');
    }
    const found = await this.#wait(search, timing.settleMs, signal);
    if (found) return this.#settled(search, found, signal);
    throw failure;
  }

  async #try(search: Search, targets: readonly ScriptTarget[], signal: AbortSignal): Promise<ScriptOutcome> {
    const { file, payload } = search.content;
    if (file && !(await file.isIntact()))
      throw new SendError('failed', 'The file was changed by another program before it was sent.');
    const [target] = targets;
    if (!target) throw new SendError('failed', 'Messages has no such conversation.');
    const outcome = await this.#runWatched(search, scriptArguments(target, payload), signal);
    if (file && outcome.kind === 'done' && !(await file.isIntact()))
      throw new SendError('unknown', 'The file was changed by another program while it was sent.');
    return outcome;
  }

  /** Runs the script; one that does not end although the message is there is ended soon after. */
  async #runWatched(search: Search, values: readonly string[], signal: AbortSignal): Promise<ScriptOutcome> {
    const { clock, run, timing } = this.#ports;
    const ended = new AbortController();
    const enough = new AbortController();
    const watch = async () => {
      const found = await this.#wait(search, timing.tryMs, ended.signal);
      if (!found) return;
      await clock.sleep(timing.settleMs, ended.signal);
      enough.abort();
    };
    // What cannot be read now is looked for again when the script has ended.
    void watch().catch(() => {});
    try {
      return await run(SEND_SCRIPT, values, {
        deadlineMs: timing.tryMs,
        signal: AbortSignal.any([signal, enough.signal]),
      });
    } finally {
      ended.abort();
    }
  }

  /**
   * Ways to a channel, the best first: a chat that is there, and for a person also the address. A chat's guid is
   * always the database's own, since its form differs between versions of macOS.
   */
  #targets(database: ChatDatabase, channelId: string): ScriptTarget[] {
    if (channelId.includes(';+;')) return database.hasChat(channelId) ? [{ chatGuid: channelId }] : [];
    const { region } = this.#ports;
    const chats = database
      .directChats()
      .filter(({ identifier }) => identifier !== null && normalizeAddress(identifier, region) === channelId);
    const vouched = chats.filter(isIMessage);
    const ordered = [...vouched, ...chats.filter((chat) => !vouched.includes(chat))];
    return [
      ...ordered.slice(0, 1).map(({ guid }) => ({ chatGuid: guid })),
      // To a person known by SMS alone, iMessage has no way.
      ...(ordered.length === 0 || vouched.length > 0 ? [{ participant: channelId }] : []),
    ];
  }

  /** The message, once it stands in the database. */
  async #wait(search: Search, ms: number, signal: AbortSignal): Promise<MessageRow | null> {
    const { clock, timing } = this.#ports;
    const until = nowMilliseconds(clock) + ms;
    for (;;) {
      const found = this.#find(search);
      if (found || signal.aborted || nowMilliseconds(clock) >= until) return found;
      await clock.sleep(timing.lookMs, signal);
    }
  }

  #find({ database, channelId, content, baseline }: Search): MessageRow | null {
    const { region } = this.#ports;
    for (const row of database.ownMessagesAfter(baseline, OWN_ROWS)) {
      if (this.#claimed.has(row.guid)) continue;
      const isHere =
        row.chatGuid === channelId ||
        (row.chatIdentifier !== null && normalizeAddress(row.chatIdentifier, region) === channelId);
      if (isHere && isContent(database, row, content.sent)) return row;
    }
    return null;
  }

  /** A row of our own that no chat has: Messages took the message for something else. */
  #hasStrayRow({ database, baseline }: Search): boolean {
    return database.ownMessagesAfter(baseline, OWN_ROWS).some(({ chatGuid }) => chatGuid === null);
  }

  /** Waits a little for Messages to say whether the message is on its way. @throws SendError where it is not. */
  async #settled({ database }: Search, found: MessageRow, signal: AbortSignal): Promise<MessageRow> {
    const { clock, timing } = this.#ports;
    this.#claim(found.guid);
    const until = nowMilliseconds(clock) + timing.settleMs;
    let row = found;
    while (!row.sent && row.error === 0 && !signal.aborted && nowMilliseconds(clock) < until) {
      await clock.sleep(timing.lookMs, signal);
      row = database.message(row.row) ?? row;
    }
    if (row.error !== 0 && row.error !== null)
      throw new SendError('failed', `Messages could not deliver it (error ${row.error}).`);
    return row;
  }

  #claim(guid: string): void {
    this.#claimed.add(guid);
    const [oldest] = this.#claimed;
    if (this.#claimed.size > MOST_CLAIMED && oldest !== undefined) this.#claimed.delete(oldest);
  }
}

export const AUTOMATION =
  'macOS does not let Postern control Messages: open System Settings, Privacy & Security, Automation, and allow Messages below the program that starts Postern.';

type SentPart = {
  readonly platformId: string;
  readonly timestampMs: number;
  readonly raw: Record<string, unknown>;
};

interface Content {
  readonly file: StagedFile | null;
  readonly sent: SentContent;
  readonly payload: ScriptPayload;
}

interface Search {
  readonly database: ChatDatabase;
  readonly channelId: string;
  readonly content: Content;
  /** ROWID before the send. */
  readonly baseline: number;
}

function isIMessage({ guid, service }: ChatRow): boolean {
  return service === 'iMessage' || /^(?:iMessage|any);/.test(guid);
}

function isContent(database: ChatDatabase, row: MessageRow, sent: SentContent): boolean {
  if ('text' in sent) return comparable(bodyOf(row).text) === comparable(sent.text);
  return database
    .attachmentsOf(row.row)
    .some(({ name, filename }) => name === sent.fileName || basename(filename ?? '') === sent.fileName);
}
