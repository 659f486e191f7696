import { FieldWriter, FOLDED_LINE } from './folding.ts';
import { assertFieldName, assertSafeValue, HeaderError } from './values.ts';

/**
 * Fields with parameters (Content-Type, Content-Disposition): `value; name=value`, with RFC 2231 for values that are
 * not ASCII or do not fit in a line.
 */

const TOKEN = /^[!#$%&'*+\-.0-9A-Z^_`a-z{|}~]+$/;
const PRINTABLE_ASCII = /^[ -~]*$/;
/** RFC 5987 attr-char, which is within what RFC 2231 allows. */
const ATTRIBUTE_CHARACTER = /[!#$&+\-.0-9A-Z^_`a-z|~]/;

/**
 * @param value the field's own value, `text/html` or `attachment`.
 * @throws HeaderError
 */
export function parameterField(
  name: string,
  value: string,
  parameters: Readonly<Record<string, string>>,
): string {
  assertFieldName(name);
  const entries = Object.entries(parameters);
  for (const text of [value, ...entries.flat()]) assertSafeValue(name, text);
  if (!/^[!-~]+$/.test(value)) throw new HeaderError(name, 'not_ascii');
  const attributes = entries.flatMap(([attribute, text]) => {
    if (!TOKEN.test(attribute) || /[*'%]/.test(attribute)) throw new HeaderError(name, 'field_name');
    return writeParameter(attribute, text.toWellFormed());
  });
  const field = new FieldWriter(name);
  [value, ...attributes].forEach((part, index, parts) => {
    field.word(index < parts.length - 1 ? `${part};` : part);
  });
  return field.end();
}

/** Room for `; ` before and `;` after. */
const LONGEST_PART = FOLDED_LINE - 2;

function writeParameter(attribute: string, text: string): string[] {
  if (PRINTABLE_ASCII.test(text)) {
    const plain = TOKEN.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
    if (attribute.length + 1 + plain.length <= LONGEST_PART) return [`${attribute}=${plain}`];
  }
  const whole = `${attribute}*=UTF-8''${Array.from(text, percentEncode).join('')}`;
  if (whole.length <= LONGEST_PART) return [whole];
  const parts: string[] = [];
  let part = `${attribute}*0*=UTF-8''`;
  for (const character of text) {
    const encoded = percentEncode(character);
    if (part.length + encoded.length > LONGEST_PART) {
      parts.push(part);
      part = `${attribute}*${parts.length}*=`;
    }
    part += encoded;
  }
  parts.push(part);
  return parts;
}

function percentEncode(character: string): string {
  if (ATTRIBUTE_CHARACTER.test(character)) return character;
  let encoded = '';
  for (const octet of Buffer.from(character)) {
    encoded += `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
