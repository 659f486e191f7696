import type { FieldCode } from '@postern/kit';

/** The codes that stand in `errors`, with what each means: the error pages are made from them. */

/** In `errors` of validation_failed. */
export const fieldCodes = {
  required: 'The field is missing.',
  invalid_type: 'The value has another JSON type; null where it cannot be cleared, too.',
  invalid_format: 'The value is not written as the field wants it: an address, an id, a time, a cursor.',
  out_of_range: 'The number or time is below or above what the field takes.',
  too_long: 'The text has more characters than the field takes.',
  too_short: 'The text has fewer characters, or the list fewer items, than the field takes.',
  too_many: 'The list has more items than the field takes.',
  unknown_field: 'The operation has no field of this name.',
  not_unique: 'The value stands there twice.',
  not_allowed: 'The value is none of those that are allowed here, or names something that is not there.',
  immutable: 'The field keeps the value it was created with.',
} as const satisfies Record<FieldCode, string>;

/** In `errors` of precondition_failed. */
export const preconditionCodes = {
  invalid_state: 'The thing is in a state in which this cannot be done to it; message says in which one.',
  in_use: 'Something that is at work needs it: a running campaign its lists, a project its campaigns.',
  no_recipients: 'Nobody would get the campaign: it names no list, or everybody on them is left out.',
  domain_unverified: 'Mail may leave from verified sending domains only; see verify_sending_domain.',
  template_error: 'The content cannot be rendered; message has line and column.',
  missed_send_time: 'send_at is over by more than max_lateness_seconds. Set another time, or null for now.',
  unsubscribe_link_missing: 'The body lacks {{ unsubscribe_url }}, without which no campaign is launched.',
  public_url_not_https: 'Links in mails must be https: set POSTERN_PUBLIC_URL to an https address.',
  last_admin_key: 'It is the last admin key; without it nobody could manage this installation.',
} as const satisfies Readonly<Record<string, string>>;
