import { ApiError, errorText, type FieldViolation } from '../api/http.ts';

/** What the server found wrong, put where a person can mend it. */

function violationsOf(error: unknown): readonly FieldViolation[] {
  return error instanceof ApiError ? error.violations : [];
}

/** The message for a field and what is inside it; null when nothing is wrong with it. */
export function errorAt(error: unknown, field: string): string | null {
  const found = violationsOf(error).find(
    (violation) => violation.field === field || violation.field.startsWith(`${field}.`),
  );
  return found === undefined ? null : sentence(found.message);
}

/** What is wrong beyond the fields that a form shows; null when they tell it all. */
export function errorBeside(error: unknown, fields: readonly string[]): string | null {
  if (error == null) return null;
  const violations = violationsOf(error);
  if (violations.length === 0) return errorText(error);
  const rest = violations.filter(
    ({ field }) => !fields.some((shown) => field === shown || field.startsWith(`${shown}.`)),
  );
  return rest.length === 0
    ? null
    : rest.map(({ field, message }) => sentence(`${field} ${message}`)).join(' ');
}

export function sentence(message: string): string {
  const text = message.trim();
  const start = text.charAt(0).toLocaleUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

export interface Obstacle {
  readonly title: string;
  readonly detail: string;
  /** The field of a campaign it can be mended at, or null. */
  readonly field: string | null;
}

const titles: Readonly<Record<string, string>> = {
  no_recipients: 'Nobody would get it',
  domain_unverified: 'The sending domain is not verified',
  template_error: 'The content can’t be rendered',
  missed_send_time: 'Its time to send has passed',
  unsubscribe_link_missing: 'There is no way to unsubscribe',
  public_url_not_https: 'Links in the mail would not be safe',
  last_admin_key: 'It is the last admin key',
  in_use: 'It is in use',
};

/** Where the server's message speaks to programs. */
const remedies: Readonly<Record<string, string>> = {
  missed_send_time: 'Set a new one at “Send at”, or empty it to send at once.',
};

const fieldTitles: Readonly<Record<string, string>> = {
  from: 'There is no sender',
  list_ids: 'A list is missing',
  segment_id: 'The segment is missing',
  template_id: 'The template is missing',
  subject: 'There is no subject',
};

/** Preconditions that fail, in plain words; empty when the error is of another kind. */
export function obstaclesOf(error: unknown): readonly Obstacle[] {
  return violationsOf(error).map(({ field, code, message }) => {
    const [top = ''] = field.split('.');
    const isOfField =
      code === 'invalid_state' || (code === 'template_error' && top === 'subject' && message === 'is empty');
    return {
      title: (isOfField ? fieldTitles[top] : undefined) ?? titles[code] ?? 'Something is not ready',
      detail: remedies[code] ?? sentence(told(top, message)),
      field: top === '' ? null : top,
    };
  });
}

/** Messages go on from the field's name, but for those that a template engine made. */
function told(field: string, message: string): string {
  if (field === '') return message;
  const goesOn = /^(is|are|has|have|had|must|names|leads|needs|can|cannot|may|lacks)\b/.test(message);
  return goesOn ? `${plainField(field)} ${message}` : `${plainField(field)}: ${message}`;
}

const fieldNames: Readonly<Record<string, string>> = {
  list_ids: 'The choice of lists',
  segment_id: 'The segment',
  template_id: 'The template',
  from: 'The sender',
  html: 'The HTML',
  mjml: 'The MJML',
  text: 'The plain text',
  subject: 'The subject',
  preheader: 'The preheader',
  send_at: 'The time',
  public_url: 'The public URL',
  state: 'The state',
  key_id: 'This',
  list_id: 'The list',
  email: 'The address',
};

function plainField(field: string): string {
  return fieldNames[field] ?? field;
}
