/** The one gate that every value passes on its way into a header field. */

export type HeaderFault =
  | 'control_character'
  | 'not_ascii'
  | 'field_name'
  | 'too_long'
  | 'no_mailbox'
  | 'repeated';

const WORDS: Readonly<Record<HeaderFault, string>> = {
  control_character: 'holds a control character (line breaks and tabs included)',
  not_ascii: 'takes only visible ASCII',
  field_name: 'is not a field name',
  too_long: 'has a part that fits in no line of 998 octets',
  no_mailbox: 'needs at least one address',
  repeated: 'is given twice, or is written by the message itself',
};

/** A value that cannot stand in a header field. The value itself is not told: it may be hostile or private. */
export class HeaderError extends Error {
  override readonly name = 'HeaderError';
  readonly field: string;
  readonly fault: HeaderFault;

  constructor(field: string, fault: HeaderFault) {
    super(`Header field ${/^[\x21-\x7e]{1,80}$/.test(field) ? field : '(unnamed)'} ${WORDS[fault]}`);
    this.field = field;
    this.fault = fault;
  }
}

const FIELD_NAME = /^[!-9;-~]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Refuses C0 controls and DEL, among them CR, LF, NUL and tab: with them a value could end its field and begin
 * another.
 *
 * @throws HeaderError
 */
export function assertSafeValue(field: string, value: string): void {
  if (CONTROL.test(value)) throw new HeaderError(field, 'control_character');
}

/** @throws HeaderError when it cannot name a field (RFC 5322 section 3.6.8; at most 76 octets). */
export function assertFieldName(field: string): void {
  if (field.length > 76 || !FIELD_NAME.test(field)) throw new HeaderError(field, 'field_name');
}
