import { problem } from '@postern/http';
import { parseAddress } from '@postern/mail';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { type EmailAnswer, emailAnswer } from './shapes.ts';

/** Reading single e-mails; what the service sends on its own account is not among them. */

/** @throws Failure not_found. */
export async function getEmail(
  { store }: CampaignsPorts,
  projectId: string,
  emailId: string,
): Promise<EmailAnswer> {
  const row = await store.db
    .selectFrom('mail_emails')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('email_id', '=', emailId)
    .where('kind', '=', 'api')
    .executeTakeFirst();
  if (!row) throw problem('not_found', `There is no e-mail ${emailId} in this project.`);
  return emailAnswer(row);
}

export interface EmailFilter {
  readonly reference?: string | undefined;
  /** In any spelling. */
  readonly to?: string | undefined;
}

/** Oldest first. */
export async function pageOfEmails(
  { store }: CampaignsPorts,
  projectId: string,
  { reference, to }: EmailFilter,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<EmailAnswer>> {
  const address = to === undefined ? undefined : parseAddress(to);
  const { rows, next_cursor } = await page(
    request,
    'eml',
    ({ after, limit }) => {
      let query = store.db
        .selectFrom('mail_emails')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('kind', '=', 'api')
        .where('email_id', '>', after ?? '');
      if (reference !== undefined) query = query.where('reference', '=', reference);
      if (address !== undefined && address.fault === undefined) {
        query = query.where('email_key', '=', address.key);
      }
      return query.orderBy('email_id').limit(limit).execute();
    },
    (row) => row.email_id,
  );
  return { rows: rows.map(emailAnswer), next_cursor };
}
