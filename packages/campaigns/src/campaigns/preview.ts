import { decodeEncodedWords } from '@postern/mail';
import { compileContent } from '../content/compile.ts';
import type { CompiledContent, Recipient } from '../content/compiled.ts';
import { tellingTemplateErrors } from '../content/failure.ts';
import { renderContent } from '../content/personalise.ts';
import { sampleVariables, withData } from '../content/sample.ts';
import { campaignMailer } from '../engine/mail/campaign-mailer.ts';
import { CampaignUnfitError, MailBuildError, type Recipient as MailRecipient } from '../engine/ports.ts';
import type { CampaignsPorts } from '../ports.ts';
import type { CampaignTable } from '../tables.ts';
import { runInWorker, workerTask } from '../workers/task.ts';
import { type Surroundings, senderOf } from './check-content.ts';
import type { LaunchedContent } from './launched.ts';
import { findCampaign } from './rows.ts';
import { contentSource } from './source.ts';
import { surroundingsOf } from './surroundings.ts';

export interface Preview {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

interface PreviewInput {
  readonly projectId: string;
  readonly campaignId: string;
  /** Null shows it for somebody made up. */
  readonly subscriberId: string | null;
}

export const previewTask = workerTask(
  import.meta.url,
  'previewTask',
  async (ports, { projectId, campaignId, subscriberId }: PreviewInput): Promise<Preview> => {
    const campaign = await findCampaign(ports.store.db, projectId, campaignId);
    const around = await surroundingsOf(ports, campaign);
    const person = await personFor(ports, campaign, around, subscriberId);
    return tellingTemplateErrors(async () => {
      const source = contentSource(campaign, around.template);
      const strict = campaign.strict_variables === 1;
      const { content, warnings } = await compileContent(source, { clicks: false, opens: false, strict });
      const variables = variablesFor(ports, campaign, around, person);
      const rendered = renderContent(content, { variables, tracking: null });
      const head = await headersOf(ports, campaign, around, content, person);
      return { ...rendered, headers: head.headers, warnings: [...warnings, ...head.warnings] };
    });
  },
);

/**
 * What a campaign looks like to one person, with the header fields of the mail. Its personal addresses are made up,
 * since whoever may look at a campaign may not act for its recipients.
 *
 * @throws Failure not_found; precondition_failed with `template_error`.
 */
export function previewCampaign(ports: CampaignsPorts, input: PreviewInput): Promise<Preview> {
  return runInWorker(ports, previewTask, input);
}

async function personFor(
  { store, publicUrl }: CampaignsPorts,
  campaign: CampaignTable,
  { lists }: Surroundings,
  subscriberId: string | null,
): Promise<MailRecipient> {
  const row =
    subscriberId === null
      ? undefined
      : await store.db
          .selectFrom('mail_subscribers')
          .selectAll()
          .where('project_id', '=', campaign.project_id)
          .where('subscriber_id', '=', subscriberId)
          .executeTakeFirst();
  const sample = sampleVariables(publicUrl()).subscriber;
  const email = row?.email ?? sample.email;
  const onList = lists.find((list) => list.list_id === row?.list_id) ?? lists[0];
  return {
    deliveryId: `dlv_${'0'.repeat(26)}`,
    subscriberId: row?.subscriber_id ?? `sub_${'0'.repeat(26)}`,
    listId: onList?.list_id ?? `lst_${'0'.repeat(26)}`,
    email,
    emailKey: row?.email_key ?? email,
    name: row === undefined ? sample.name : row.name,
    attributes: row === undefined ? {} : JSON.parse(row.attributes_json),
  };
}

/** What Liquid knows in a preview or a test. */
export function variablesFor(
  { publicUrl }: Pick<CampaignsPorts, 'publicUrl'>,
  campaign: Pick<CampaignTable, 'name'>,
  { lists, project }: Surroundings,
  { email, name, attributes, listId }: MailRecipient,
): Recipient['variables'] {
  const list = lists.find((one) => one.list_id === listId)?.name;
  return withData(sampleVariables(publicUrl()), {
    subscriber: { email, name, attributes },
    campaign: { name: campaign.name },
    project,
    ...(list === undefined ? {} : { list: { name: list } }),
  });
}

async function headersOf(
  ports: CampaignsPorts,
  campaign: CampaignTable,
  around: Surroundings,
  content: CompiledContent,
  person: MailRecipient,
): Promise<Pick<Preview, 'headers' | 'warnings'>> {
  const from = senderOf(campaign, around.lists);
  if (from === null)
    return { headers: {}, warnings: ['from: there is no sender yet, so there are no headers'] };
  if (content.html === null && content.text === null)
    return { headers: {}, warnings: ['html: there is no body yet, so there is nothing to see'] };
  const launched: LaunchedContent = {
    version: 1,
    content,
    from,
    reply_to: campaign.reply_to,
    campaign: { name: campaign.name },
    project: around.project,
    lists: Object.fromEntries(around.lists.map(({ list_id, name }) => [list_id, name])),
  };
  try {
    const row = {
      ...campaign,
      tracking_opens: 'off',
      tracking_clicks: 'off',
      content_json: JSON.stringify(launched),
    };
    const mailer = await campaignMailer(ports, row as CampaignTable);
    const { bytes } = await mailer.build(person);
    return { headers: { ...fieldsOf(bytes), ...madeUp(ports) }, warnings: [] };
  } catch (error) {
    if (!(error instanceof MailBuildError || error instanceof CampaignUnfitError)) throw error;
    return { headers: {}, warnings: [error.message] };
  }
}

function madeUp({ publicUrl }: Pick<CampaignsPorts, 'publicUrl'>): Record<string, string> {
  return { 'List-Unsubscribe': `<${sampleVariables(publicUrl()).unsubscribe_url}>` };
}

/** The header fields of a message, unfolded and decoded, by name. */
function fieldsOf(message: Uint8Array): Record<string, string> {
  const text = Buffer.from(message).toString();
  const head = text.slice(0, text.indexOf('\r\n\r\n'));
  const lines = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), decodeEncodedWords(line.slice(at + 1).trim())];
    }),
  );
}
