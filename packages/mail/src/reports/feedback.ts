import { type Entity, type Fields, splitFields } from './entity.ts';
import type { ReportKind, ReportRecipient } from './kinds.ts';
import { reportRecipient } from './recipient.ts';

/** Complaints: feedback reports (RFC 5965), and those that Outlook.com sends without the machine's part. */

interface Feedback {
  readonly kind: ReportKind;
  readonly recipients: readonly ReportRecipient[];
  readonly feedbackType: string;
  readonly addresses: readonly string[];
}

/** Types by which a person speaks against the message; the others are of machines, or speak for it. */
const COMPLAINTS = new Set(['abuse', 'fraud', 'other', 'opt-out', 'opt-out-list', 'virus']);

/** @returns undefined when the message is no complaint. */
export function readFeedback(message: Entity, entities: readonly Entity[]): Feedback | undefined {
  const report = entities.find(({ type }) => type === 'message/feedback-report');
  if (report !== undefined) return readReport(splitFields(report.body.replace(/^\s*\n/, '')).fields);
  const about = entities.find(({ type }) => type === 'message/rfc822')?.parts[0];
  const recipient = about?.fields.get('x-hmxmroriginalrecipient') ?? null;
  if (recipient === null || !/complaint about message from/i.test(message.fields.get('subject') ?? ''))
    return undefined;
  return { kind: 'complaint', recipients: [complainant(recipient)], feedbackType: 'abuse', addresses: [] };
}

function readReport(fields: Fields): Feedback {
  const feedbackType = (fields.get('feedback-type') ?? 'abuse').toLowerCase();
  const names = [...fields.all('original-rcpt-to'), ...fields.all('removal-recipient')];
  return {
    kind: COMPLAINTS.has(feedbackType) ? 'complaint' : 'other',
    recipients: names.slice(0, 100).map(complainant),
    feedbackType,
    addresses: [...fields.all('original-mail-from'), ...fields.all('original-envelope-id')],
  };
}

function complainant(value: string): ReportRecipient {
  const address = value
    .replace(/^(?:rfc822;)?\s*<?/i, '')
    .trim()
    .replace(/>$/, '');
  const named = reportRecipient({
    address,
    original: null,
    action: 'delivered',
    status: null,
    diagnostic: null,
  });
  return { ...named, action: null };
}
