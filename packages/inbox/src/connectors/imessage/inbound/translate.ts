import type { InboundChannel, InboundEvent } from '../../connector.ts';
import type { ChatDatabase } from '../database/chat-database.ts';
import { DIRECT_STYLE, GROUP_STYLE, type MessageRow } from '../database/rows.ts';
import type { SentContent, SentLedger } from '../ledger.ts';
import { comparable } from '../same-text.ts';
import { accountAddress, normalizeAddress, senderIdOf } from './address.ts';
import { bodyOf, type MessageBody } from './body.ts';
import { filesOf, type MessageFile, unwrittenFiles } from './files.ts';

type MessageEvent = Extract<InboundEvent, { kind: 'message' }>;

/** What a row is to the inbox. */
export type Translation =
  | { readonly kind: 'message'; readonly event: MessageEvent; readonly coming: readonly MessageFile[] }
  /** A change of one that is there, or its end. */
  | { readonly kind: 'change'; readonly event: InboundEvent }
  /** Nothing that somebody wrote to us. */
  | { readonly kind: 'nothing' }
  /** Not complete yet: Messages writes some rows in steps. */
  | { readonly kind: 'unfinished' };

export interface TranslationContext {
  readonly database: ChatDatabase;
  readonly chatDb: string;
  readonly region: string;
  readonly groups: boolean;
  readonly ledger: SentLedger;
  /** Messages from before this moment are history that was fetched late. */
  readonly sinceMs: number;
  nowMs(): number;
}

/** From here on a row says something of another message: stickers, tapbacks and votes. */
const FIRST_ASSOCIATED_TYPE = 1_000;
/** The two rows of a message to oneself stand this near each other. */
const TWIN_ROWS = 20;
const TWIN_MS = 60_000;
/** Two rows of one link stand this near each other. */
const DUPLICATE_MS = 5_000;
/** What an older message names and has not is gone for good. */
const NEW_MS = 25 * 60 * 60_000;
const LINK_BALLOON = 'com.apple.messages.URLBalloonProvider';

const NOTHING: Translation = { kind: 'nothing' };

/** A row as it is met for the first time. */
export function translate(row: MessageRow, context: TranslationContext): Translation {
  if (isAside(row)) return NOTHING;
  if (row.dateMs !== null && row.dateMs < context.sinceMs) return NOTHING;
  if (row.chatGuid === null) return { kind: 'unfinished' };
  const channel = channelOf(row, context);
  if (channel === null || (channel.type === 'group' && !context.groups)) return NOTHING;
  const body = bodyOf(row);
  const files = expectedFiles(row, body, context);
  if (isEmpty(row, body, files)) return isRetracted(row, body) ? NOTHING : { kind: 'unfinished' };
  if (isWhollyRetracted(row, body)) return NOTHING;
  const platformId = guidOrTwin(row, channel, body, files, context);
  if (platformId === null) return NOTHING;
  return {
    kind: 'message',
    coming: files.filter(({ state }) => state === 'coming'),
    event: {
      kind: 'message',
      platformId,
      channel,
      sender: senderOf(row, context),
      text: body.text,
      attachments: files.filter(({ state }) => state !== 'coming').map(({ attachment }) => attachment),
      pending: files
        .filter(({ state }) => state === 'coming')
        .map(({ guid, name, sizeBytes }) => ({ key: guid, name, sizeBytes })),
      replyToPlatformId: row.threadOriginator,
      timestampMs: row.dateMs ?? context.nowMs(),
      raw: rawOf(row, body, files),
    },
  };
}

/** A row that was handed over before, as it is now. */
export function translateChange(row: MessageRow, context: TranslationContext): Translation {
  if (row.fromMe || isAside(row)) return NOTHING;
  const body = bodyOf(row);
  const files = filesFor(row, context);
  const isGone = isWhollyRetracted(row, body) || (isEmpty(row, body, files) && isRetracted(row, body));
  if (isGone) return { kind: 'change', event: { kind: 'delete', platformId: row.guid } };
  if (isEmpty(row, body, files)) return NOTHING;
  return {
    kind: 'change',
    event: { kind: 'edit', platformId: row.guid, text: body.text, raw: rawOf(row, body, files) },
  };
}

/** Own messages, what was done to a group, and what was stuck to another message. */
function isAside(row: MessageRow): boolean {
  return row.fromMe || (row.itemType ?? 0) !== 0 || (row.associatedType ?? 0) >= FIRST_ASSOCIATED_TYPE;
}

function filesFor(row: MessageRow, { database, chatDb }: TranslationContext): MessageFile[] {
  return row.hasAttachments ? filesOf(database.attachmentsOf(row.row), chatDb) : [];
}

/** With those of a new message that Messages has still to write down. */
export function expectedFiles(
  row: MessageRow,
  body: MessageBody,
  context: TranslationContext,
): MessageFile[] {
  const { database, chatDb } = context;
  if (!row.hasAttachments && body.files.length === 0) return [];
  const rows = database.attachmentsOf(row.row);
  const isNew = context.nowMs() - (row.dateMs ?? 0) < NEW_MS;
  return [...filesOf(rows, chatDb), ...(isNew ? unwrittenFiles(body.files, rows) : [])];
}

function isEmpty(row: MessageRow, body: MessageBody, files: readonly MessageFile[]): boolean {
  return body.text === '' && files.length === 0 && row.balloon === null;
}

function isRetracted(row: MessageRow, body: MessageBody): boolean {
  return (row.retractedMs ?? 0) > 0 || (row.editedMs ?? 0) > 0 || body.hasRetractedParts;
}

/** Where parts were taken back, what remains is a change; without that note the whole message was. */
function isWhollyRetracted(row: MessageRow, body: MessageBody): boolean {
  return (row.retractedMs ?? 0) > 0 && !body.hasRetractedParts;
}

/** A person by the address, a group by the chat's guid; anything else is no conversation. */
function channelOf(row: MessageRow, { region }: TranslationContext): InboundChannel | null {
  if (row.chatGuid === null) return null;
  if (row.chatStyle === GROUP_STYLE) {
    const name = row.chatName === null || row.chatName === '' ? {} : { name: row.chatName };
    return { id: row.chatGuid, type: 'group', ...name };
  }
  const address = row.chatIdentifier ?? row.handle;
  if (row.chatStyle !== DIRECT_STYLE || address === null) return null;
  return { id: normalizeAddress(address, region), type: 'dm' };
}

function senderOf(row: MessageRow, { region }: TranslationContext) {
  const handle = row.handle ?? (row.chatStyle === DIRECT_STYLE ? row.chatIdentifier : null);
  const address = handle === null ? 'unknown' : normalizeAddress(handle, region);
  return { id: senderIdOf(address, row.service), displayName: address };
}

/**
 * The platform id of a message, or null when it is the copy of something that is there. Of a message to oneself
 * there are two rows, one from us and one to us; the id of both is the guid of the first, which is also what a
 * send was recorded with.
 */
function guidOrTwin(
  row: MessageRow,
  channel: InboundChannel,
  body: MessageBody,
  files: readonly MessageFile[],
  context: TranslationContext,
): string | null {
  if (isDuplicateLink(row, body, context)) return null;
  if (channel.type !== 'dm' || !isToOneself(row, context)) return row.guid;
  const contents: SentContent[] = [
    ...(body.text === '' ? [] : [{ text: body.text }]),
    ...files.map(({ name }) => ({ fileName: name })),
  ];
  if (contents.some((content) => context.ledger.isEcho(channel.id, content, row.guid))) return null;
  const twin = context.database
    .ownMessagesNear(row.chatGuid ?? '', row.row, TWIN_ROWS)
    .find((own) => isNear(own, row, TWIN_MS) && comparable(bodyOf(own).text) === comparable(body.text));
  return twin?.guid ?? row.guid;
}

function isToOneself(row: MessageRow, { region }: TranslationContext): boolean {
  if (row.handle === null) return false;
  const sender = normalizeAddress(row.handle, region);
  return [row.addressedTo, row.account, row.chatLogin, row.chatAddressedTo].some(
    (own) => accountAddress(own, region) === sender,
  );
}

/** Messages sometimes writes a link twice: as it was typed, and with its picture. */
function isDuplicateLink(row: MessageRow, body: MessageBody, { database }: TranslationContext): boolean {
  if (!/^https?:\/\/\S+$/.test(body.text)) return false;
  const before = database.messageBefore(row);
  return (
    before !== null &&
    before.balloon !== row.balloon &&
    [before.balloon, row.balloon].includes(LINK_BALLOON) &&
    before.handle === row.handle &&
    isNear(before, row, DUPLICATE_MS) &&
    bodyOf(before).text === body.text
  );
}

function isNear(left: MessageRow, right: MessageRow, ms: number): boolean {
  return Math.abs((left.dateMs ?? 0) - (right.dateMs ?? 0)) <= ms;
}

function rawOf(row: MessageRow, body: MessageBody, files: readonly MessageFile[]): Record<string, unknown> {
  return {
    guid: row.guid,
    rowid: row.row,
    service: row.service,
    chat_guid: row.chatGuid,
    handle: row.handle,
    ...(row.threadOriginator === null ? {} : { thread_originator_guid: row.threadOriginator }),
    ...((row.editedMs ?? 0) > 0 ? { edited_at: row.editedMs } : {}),
    ...(row.balloon === null ? {} : { balloon_bundle_id: row.balloon }),
    ...(body.mentions.length > 0 ? { mentions: body.mentions } : {}),
    ...(body.links.length > 0 ? { links: body.links } : {}),
    attachments: files.map(({ guid, name, mime, sizeBytes }) => ({
      guid,
      name,
      mime,
      size_bytes: sizeBytes,
    })),
  };
}
