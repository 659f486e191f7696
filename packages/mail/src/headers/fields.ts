import type { Address } from '../addresses.ts';
import { encodedWords, SHORTEST_ENCODED_WORD } from './encoded-words.ts';
import { FieldWriter, FOLDED_LINE } from './folding.ts';
import { assertFieldName, assertSafeValue, HeaderError } from './values.ts';

/**
 * Whole header fields, `Name: value` with folding and the last CRLF. The only way to write one: every value passes
 * the gate in `values.ts` first.
 */

/** An address with the name shown beside it. */
export interface Mailbox {
  readonly address: Address;
  /** Display name; absent, null or blank for none. */
  readonly name?: string | null | undefined;
}

const VISIBLE_ASCII = /^[!-~]+$/;
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** Looks like an end of an encoded word to a reader, so it must be encoded to be read as itself. */
const LOOKS_ENCODED = /=\?|\?=/;

/**
 * A field of free text (Subject, Comments): words that need it, with all between them, become encoded words;
 * leading, trailing and repeated spaces are kept.
 *
 * @throws HeaderError
 */
export function textField(name: string, value: string): string {
  assertFieldName(name);
  assertSafeValue(name, value);
  const field = new FieldWriter(name);
  writeText(field, value.toWellFormed());
  return field.end();
}

/**
 * A field of visible ASCII that must reach the reader byte for byte (List-Unsubscribe, Feedback-ID, MIME fields):
 * nothing is encoded; lines break at its spaces only.
 *
 * @throws HeaderError
 */
export function tokensField(name: string, value: string): string {
  assertFieldName(name);
  assertSafeValue(name, value);
  const field = new FieldWriter(name);
  for (const token of value.split(' ')) {
    if (!VISIBLE_ASCII.test(token)) throw new HeaderError(name, 'not_ascii');
    field.word(token);
  }
  return field.end();
}

/**
 * An address field (From, To, Reply-To). An address whose local part is not ASCII is written in UTF-8, which only
 * an SMTPUTF8 message may have; names are encoded always, so they travel by any.
 *
 * @throws HeaderError
 */
export function mailboxField(name: string, mailboxes: readonly Mailbox[]): string {
  assertFieldName(name);
  if (mailboxes.length === 0) throw new HeaderError(name, 'no_mailbox');
  const field = new FieldWriter(name);
  mailboxes.forEach(({ address, name: displayName }, index) => {
    const comma = index < mailboxes.length - 1 ? ',' : '';
    const phrase = displayName?.trim() ?? '';
    assertSafeValue(name, address.wire);
    if (phrase === '') field.word(`${address.wire}${comma}`);
    else {
      writePhrase(field, name, phrase);
      field.word(`<${address.wire}>${comma}`);
    }
  });
  return field.end();
}

/**
 * A field of a phrase and an identifier: `List-Id: Friends of Tea <tea.lists.example.org>` (RFC 2919).
 *
 * @throws HeaderError
 */
export function identifierField(name: string, phrase: string, identifier: string): string {
  assertFieldName(name);
  assertSafeValue(name, identifier);
  if (!VISIBLE_ASCII.test(identifier)) throw new HeaderError(name, 'not_ascii');
  const field = new FieldWriter(name);
  if (phrase.trim() !== '') writePhrase(field, name, phrase.trim());
  field.word(`<${identifier}>`);
  return field.end();
}

function writeText(field: FieldWriter, text: string): void {
  const words = text.split(' ');
  const first = words.findIndex((word, index) => mustEncode(word, index, words));
  const last = words.findLastIndex((word, index) => mustEncode(word, index, words));
  if (first === -1) {
    for (const word of words) field.word(word);
    return;
  }
  for (const word of words.slice(0, first)) field.word(word);
  writeEncoded(field, words.slice(first, last + 1).join(' '));
  for (const word of words.slice(last + 1)) field.word(word);
}

/**
 * An empty word is a space too many (at an end, or two in a row). Left plain, a fold beside it could make a line of
 * white space alone, and many readers would drop it; so it is encoded together with the words at its sides.
 */
function mustEncode(word: string, index: number, words: readonly string[]): boolean {
  if (words.length > 1 && (word === '' || words[index - 1] === '' || words[index + 1] === '')) return true;
  return !PRINTABLE_ASCII.test(word) || LOOKS_ENCODED.test(word) || word.length >= FOLDED_LINE;
}

/** The longest quoted string or atom; longer names are encoded, as only those can be folded anywhere. */
const LONGEST_PLAIN_PHRASE = 60;

function writePhrase(field: FieldWriter, name: string, phrase: string): void {
  assertSafeValue(name, phrase);
  const text = phrase.toWellFormed();
  const plain =
    PRINTABLE_ASCII.test(text) && !LOOKS_ENCODED.test(text) && text.length <= LONGEST_PLAIN_PHRASE;
  if (!plain || text.includes('  ')) writeEncoded(field, text);
  else if (ATOMS.test(text)) {
    for (const atom of text.split(' ')) field.word(atom);
  } else field.word(`"${text.replace(/["\\]/g, '\\$&')}"`);
}

function writeEncoded(field: FieldWriter, text: string): void {
  if (field.space < SHORTEST_ENCODED_WORD) field.breakLine();
  for (const word of encodedWords(text, field.space)) field.word(word);
}
