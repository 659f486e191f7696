import { problem } from '@postern/http';
import { summariseViolations } from '@postern/kit';
import { parseAddress } from '@postern/mail';
import { serialise } from '@postern/store';
import { recordAct } from '../audit.ts';
import { checkTransport } from '../campaigns/check-launch.ts';
import type { ContentSource } from '../content/compile.ts';
import { tellingTemplateErrors } from '../content/failure.ts';
import { withData } from '../content/sample.ts';
import { renderOnThread } from '../content/tasks.ts';
import { ENGINE_CHANNEL } from '../engine/control/channels.ts';
import type { ComposedEmail } from '../engine/mail/email-mailer.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../ports.ts';
import { findSuppression } from '../suppressions/rows.ts';
import type { EmailTable, TemplateTable } from '../tables.ts';
import { type EmailAnswer, emailAnswer } from './shapes.ts';

export interface EmailRequest {
  readonly to: string;
  readonly from: { readonly name: string | null; readonly email: string };
  readonly reply_to: string | null;
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly template_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly reference: string | null;
}

/** A reference is unique for so long (contract, section 2). */
const REFERENCE_US = 24 * 3_600 * 1_000_000;

/**
 * Queues one e-mail to one person; the engine sends it. A reference that was used within 24 hours answers the e-mail
 * it was used for, whatever else is asked.
 *
 * @returns the e-mail, and whether it is new.
 * @throws Failure validation_failed without a subject or a body; precondition_failed when it could not be sent, or its
 *   template has errors.
 */
export async function sendEmail(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  request: EmailRequest,
): Promise<{ email: EmailAnswer; isNew: boolean }> {
  const earlier = await withReference(ports.store.db, ports, projectId, request.reference);
  if (earlier) return { email: emailAnswer(earlier), isNew: false };
  const source = await sourceOf(ports, projectId, request);
  const violations = await checkTransport(ports, projectId, request.from);
  if (violations.length > 0) {
    throw problem('precondition_failed', summariseViolations(violations), { violations });
  }
  const composed = await compose(ports, projectId, request, source);
  return ports.store.transaction(async (tx) => {
    if (request.reference !== null) {
      await serialise(tx, `email:${projectId}:${request.reference}`);
      const same = await withReference(tx, ports, projectId, request.reference);
      if (same) return { email: emailAnswer(same), isNew: false };
    }
    const row = await rowFor(tx, ports, projectId, request, composed);
    await tx.insertInto('mail_emails').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'send_email', target: row.email_id });
    ports.store.notify(ENGINE_CHANNEL);
    return { email: emailAnswer(row), isNew: true };
  });
}

async function withReference(
  db: CampaignsTransaction | CampaignsPorts['store']['db'],
  { clock }: CampaignsPorts,
  projectId: string,
  reference: string | null,
): Promise<EmailTable | undefined> {
  if (reference === null) return undefined;
  return db
    .selectFrom('mail_emails')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('reference', '=', reference)
    .where('created_us', '>', clock.nowMicroseconds() - REFERENCE_US)
    .orderBy('email_id')
    .limit(1)
    .executeTakeFirst();
}

/** Own words take the place of the template's, HTML the place of its whole body. */
async function sourceOf(
  { store }: CampaignsPorts,
  projectId: string,
  { subject, html, text, template_id }: EmailRequest,
): Promise<ContentSource> {
  const template = template_id === null ? null : await findTemplate(store, projectId, template_id);
  const body =
    html !== null || template === null
      ? { html, mjml: null, text }
      : { html: template.html, mjml: template.mjml, text: text ?? template.text };
  const source = { subject: subject ?? template?.subject ?? null, preheader: null, ...body };
  const missing = [
    ...(source.subject === null ? ['subject'] : []),
    ...(source.html === null && source.mjml === null && source.text === null ? ['html'] : []),
  ];
  if (missing.length > 0) {
    const violations = missing.map((field) => ({
      field,
      code: 'required',
      message: 'is required: neither the call nor a template has one',
    }));
    throw problem('validation_failed', summariseViolations(violations), { violations });
  }
  return { ...source, subject: source.subject ?? '' };
}

/** @throws Failure not_found: it was there a moment ago. */
async function findTemplate(
  store: CampaignsPorts['store'],
  projectId: string,
  templateId: string,
): Promise<TemplateTable> {
  const row = await store.db
    .selectFrom('mail_templates')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  if (!row) throw problem('not_found', `There is no template ${templateId} in this project.`);
  return row;
}

async function compose(
  ports: CampaignsPorts,
  projectId: string,
  request: EmailRequest,
  source: ContentSource,
): Promise<ComposedEmail> {
  const project = await ports.store.db
    .selectFrom('mail_projects')
    .select(['name', 'sender_address'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  const variables = withData(
    {
      subscriber: { email: request.to.trim(), name: null, attributes: {} },
      campaign: { name: '' },
      list: { name: '' },
      project,
      // A single e-mail is no bulk mail: nobody can leave a list by it.
      unsubscribe_url: '',
      preferences_url: '',
      view_url: '',
    },
    request.data,
  );
  const { subject, html, text } = await tellingTemplateErrors(() =>
    renderOnThread(ports, source, variables, false),
  );
  return { from: request.from, reply_to: request.reply_to, subject, html, text };
}

async function rowFor(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  projectId: string,
  { to, reference }: EmailRequest,
  composed: ComposedEmail,
): Promise<EmailTable> {
  const address = parseAddress(to);
  if (address.fault !== undefined) throw new Error('the address was not checked');
  const isSuppressed = (await findSuppression(tx, ports, projectId, address.key)) !== undefined;
  const now = ports.clock.nowMicroseconds();
  return {
    email_id: ports.newId('eml'),
    project_id: projectId,
    recipient: address.typed,
    email_key: address.key,
    reference,
    kind: 'api',
    about_id: null,
    request_json: JSON.stringify(composed),
    state: isSuppressed ? 'failed' : 'pending',
    reason: isSuppressed ? 'suppressed' : null,
    attempts: 0,
    // Since ever: a clock that is set back holds nobody up.
    due_us: 0,
    lease_until_us: null,
    claimed_by: null,
    smtp_reply: null,
    message_id: null,
    sent_us: null,
    created_us: now,
    updated_us: now,
  };
}
