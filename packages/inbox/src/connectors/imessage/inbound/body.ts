import type { MessageRow } from '../database/rows.ts';
import { type PlistValue, readBinaryPlist } from '../plist/binary-plist.ts';
import { decodeAttributedText, type TextRun } from '../typedstream/attributed-text.ts';

export interface MessageBody {
  /** What people see as text; files in it have left no trace. */
  readonly text: string;
  /** Addresses of people who are mentioned, as they stand in the message. */
  readonly mentions: readonly string[];
  readonly links: readonly string[];
  /** Guids of the files that stand in the text. */
  readonly files: readonly string[];
  /** Whether parts of the message, or all of it, were taken back. */
  readonly hasRetractedParts: boolean;
}

/** Stands in a text where a file is. */
const FILE_MARK = /\ufffc/g;
/** Stands in a text where something of an app is. */
const APP_MARK = /[\ufffc\ufffd]/g;
const MENTION = '__kIMMentionConfirmedMention';
const LINK = '__kIMLinkAttributeName';
const FILE = '__kIMFileTransferGUIDAttributeName';
const MOST_NOTED = 50;

/**
 * The text of a message: from `attributedBody`, where newer versions of macOS keep it alone; else from `text`; else,
 * for a changed message, from the history of its changes.
 */
export function bodyOf(row: MessageRow): MessageBody {
  const summary = row.summary === null ? undefined : readBinaryPlist(row.summary);
  const decoded = row.body === null || row.body.length === 0 ? null : decodeAttributedText(row.body);
  const whole = decoded?.ok ? decoded.text : (row.text ?? decoded?.text ?? null);
  const said = whole === null || whole === '' ? (textOfHistory(summary) ?? '') : whole;
  const marks = row.balloon === null ? FILE_MARK : APP_MARK;
  const text = said.replaceAll(marks, '');
  const runs = decoded?.ok ? decoded.runs : [];
  return {
    text: withSubject(row.subject, text === said ? text : text.trim()),
    mentions: noted(runs, MENTION),
    links: noted(runs, LINK),
    files: noted(runs, FILE),
    hasRetractedParts: Array.isArray(entry(summary, 'rp')) && (entry(summary, 'rp') as unknown[]).length > 0,
  };
}

function withSubject(subject: string | null, text: string): string {
  if (subject === null || subject.trim() === '') return text;
  return text === '' ? subject : `${subject}\n${text}`;
}

function noted(runs: readonly TextRun[], name: string): string[] {
  const values = runs.flatMap(({ attributes }) => {
    const value = attributes[name];
    return typeof value === 'string' ? [value] : [];
  });
  return [...new Set(values)].slice(0, MOST_NOTED);
}

/** The newest version of each part: under `ec`, by the number of the part, its versions with their time and text. */
function textOfHistory(summary: PlistValue | undefined): string | null {
  const parts = entry(summary, 'ec');
  if (typeof parts !== 'object' || parts === null || parts instanceof Uint8Array || Array.isArray(parts))
    return null;
  const texts = Object.entries(parts as Record<string, PlistValue>)
    .sort(([left], [right]) => Number(left) - Number(right))
    .flatMap(([, versions]) => {
      const last = Array.isArray(versions) ? versions.at(-1) : undefined;
      const body = entry(last, 't');
      const text = body instanceof Uint8Array ? decodeAttributedText(body).text : null;
      return text === null ? [] : [text];
    });
  return texts.length === 0 ? null : texts.join('');
}

function entry(value: PlistValue | undefined, key: string): PlistValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, PlistValue>)[key] : undefined;
}
