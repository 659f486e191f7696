import { assertSafeValue, HeaderError } from './values.ts';

/** The two fields that give a message its identity: Date and Message-ID. */

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * A date-time of RFC 5322 section 3.3 in UTC, with its zone in digits: `Fri, 01 May 2026 09:05:00 +0000`.
 *
 * @param milliseconds since the epoch, of a year from 1900 to 9999.
 */
export function formatDate(milliseconds: number): string {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  if (!(year >= 1900 && year <= 9999)) throw new HeaderError('Date', 'too_long');
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${DAYS[date.getUTCDay()]}, ${two(date.getUTCDate())} ${MONTHS[date.getUTCMonth()]} ${year}`;
  return `${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

export function dateField(milliseconds: number): string {
  return `Date: ${formatDate(milliseconds)}\r\n`;
}

const MESSAGE_ID = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.]+@[A-Za-z0-9.-]+$/;

/**
 * @param id `left@right` without angle brackets, as a dot-atom on both sides.
 * @throws HeaderError when it is anything else, or does not fit beside the field's name.
 */
export function messageIdField(id: string): string {
  assertSafeValue('Message-ID', id);
  if (!MESSAGE_ID.test(id)) throw new HeaderError('Message-ID', 'not_ascii');
  if (id.length > 900) throw new HeaderError('Message-ID', 'too_long');
  return `Message-ID: <${id}>\r\n`;
}
