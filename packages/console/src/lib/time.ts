/** Times as people read them, in the reader's own zone. */

/**
 * The page is in English, and a “Heute” in it would stand alone: words come from the first English the reader
 * knows, and only the clock, of 12 or 24 hours, from their first language.
 */
export function readerLocale(languages: readonly string[]): Intl.Locale {
  const known = languages.filter(isLanguageTag);
  const { hourCycle } = new Intl.DateTimeFormat(known[0], { hour: 'numeric' }).resolvedOptions();
  const english = known.find((language) => /^en\b/.test(language)) ?? 'en-GB';
  return new Intl.Locale(english, hourCycle === undefined ? {} : { hourCycle });
}

/** A browser may pass on the system's own name of a locale, such as “en-US@posix”. */
function isLanguageTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}

const locale = readerLocale(navigator.languages);
const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const shortDayYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' });

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function clockTime(iso: string): string {
  return clock.format(new Date(iso));
}

/** The clock without “AM” and “PM”, for the narrow space beside a message. */
export function gutterTime(iso: string): string {
  const parts = clock.formatToParts(new Date(iso)).filter(({ type }) => type !== 'dayPeriod');
  return parts
    .map(({ value }) => value)
    .join('')
    .trim();
}

export function fullTime(iso: string): string {
  return full.format(new Date(iso));
}

/** Equal for two times on the same day of the reader's calendar. */
export function dayKey(iso: string): string {
  const date = new Date(iso);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

/** “Today”, “Yesterday”, else the date; the year only when it is another one. */
export function dayLabel(iso: string, now: Date): string {
  const date = new Date(iso);
  const days = calendarDaysBetween(date, now);
  if (days === 0 || days === 1) return capitalise(relative.format(-days, 'day'));
  return date.getFullYear() === now.getFullYear() ? weekday.format(date) : longDay.format(date);
}

/** For lists: the clock today, else the day. */
export function listTime(iso: string, now: Date): string {
  const date = new Date(iso);
  const days = calendarDaysBetween(date, now);
  if (days === 0) return clock.format(date);
  if (days === 1) return capitalise(relative.format(-1, 'day'));
  return date.getFullYear() === now.getFullYear() ? shortDay.format(date) : shortDayYear.format(date);
}

/** “3 minutes ago”, “in 2 hours”; beyond a month the date. */
export function relativeTime(iso: string, now: Date): string {
  const date = new Date(iso);
  const distance = date.getTime() - now.getTime();
  const size = Math.abs(distance);
  if (size < MINUTE) return distance > 0 ? 'in a moment' : 'just now';
  if (size < HOUR) return relative.format(Math.trunc(distance / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.trunc(distance / HOUR), 'hour');
  if (size < 30 * DAY) return relative.format(Math.trunc(distance / DAY), 'day');
  return shortDayYear.format(date);
}

function calendarDaysBetween(earlier: Date, later: Date): number {
  const start = new Date(earlier.getFullYear(), earlier.getMonth(), earlier.getDate());
  const end = new Date(later.getFullYear(), later.getMonth(), later.getDate());
  return Math.round((end.getTime() - start.getTime()) / DAY);
}

function capitalise(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
