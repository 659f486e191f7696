import type { FieldViolation } from '@postern/kit';
import { type Compilation, ContentError } from '../content/compile.ts';
import { templateViolations } from '../content/failure.ts';
import { compileOnThread } from '../content/tasks.ts';
import type { CampaignsPorts } from '../ports.ts';
import { senderAnswer } from '../shapes/address.ts';
import type { CampaignTable, ListTable, ProjectTable, TemplateTable } from '../tables.ts';
import type { LaunchedContent } from './launched.ts';
import { contentSource, hasBody } from './source.ts';

/** What a campaign needs around it to be sent. */
export interface Surroundings {
  readonly project: Pick<ProjectTable, 'name' | 'sender_address'>;
  /** Those of its lists that are in use, in the campaign's order. */
  readonly lists: readonly ListTable[];
  readonly template: TemplateTable | null;
}

export interface ContentCheck {
  readonly violations: readonly FieldViolation[];
  readonly warnings: readonly string[];
  /** Null where the violations leave nothing to send. */
  readonly launched: LaunchedContent | null;
}

/** Compiles what a campaign says, and tells what keeps it from being sent to a list. */
export async function checkContent(
  ports: CampaignsPorts,
  campaign: CampaignTable,
  around: Surroundings,
): Promise<ContentCheck> {
  const violations: FieldViolation[] = [];
  const from = senderOf(campaign, around.lists);
  if (from === null) {
    violations.push(violation('from', 'invalid_state', 'is missing, and none of the lists has one'));
  }
  const source = contentSource(campaign, around.template);
  if (campaign.template_id !== null && around.template === null) {
    violations.push(violation('template_id', 'template_error', 'names a template that was deleted'));
  }
  if (source.subject.trim() === '') violations.push(violation('subject', 'template_error', 'is empty'));
  if (!hasBody(source)) {
    violations.push(
      violation('html', 'template_error', 'is empty, and so is text: there is nothing to send'),
    );
  }
  const compiled = await compile(ports, campaign, around);
  if (compiled instanceof ContentError) {
    return { violations: [...violations, ...templateViolations(compiled)], warnings: [], launched: null };
  }
  const { content, unsubscribe, warnings } = compiled;
  const [body, found] =
    unsubscribe.html === null ? (['text', unsubscribe.text] as const) : (['html', unsubscribe.html] as const);
  if (found !== true) {
    violations.push(violation(body, 'unsubscribe_link_missing', 'must have {{ unsubscribe_url }} in it'));
  }
  const isTextWithout = unsubscribe.html === true && unsubscribe.text === false;
  return {
    violations,
    warnings: isTextWithout ? [...warnings, 'text: there is no {{ unsubscribe_url }} in it'] : warnings,
    launched:
      from === null || violations.length > 0
        ? null
        : {
            version: 1,
            content,
            from,
            reply_to: campaign.reply_to,
            campaign: { name: campaign.name },
            project: around.project,
            lists: Object.fromEntries(around.lists.map(({ list_id, name }) => [list_id, name])),
          },
  };
}

/** Who a campaign is from: its own sender, or that of the first of its lists that has one. */
export function senderOf(
  campaign: Pick<CampaignTable, 'from_name' | 'from_email'>,
  lists: readonly Pick<ListTable, 'from_name' | 'from_email'>[],
): LaunchedContent['from'] | null {
  for (const row of [campaign, ...lists]) {
    const sender = senderAnswer(row);
    if (sender !== null) return sender;
  }
  return null;
}

async function compile(
  ports: CampaignsPorts,
  campaign: CampaignTable,
  { template }: Surroundings,
): Promise<Compilation | ContentError> {
  try {
    return await compileOnThread(ports, contentSource(campaign, template), {
      clicks: campaign.tracking_clicks !== 'off',
      opens: campaign.tracking_opens !== 'off',
      strict: campaign.strict_variables === 1,
    });
  } catch (error) {
    if (error instanceof ContentError) return error;
    throw error;
  }
}

export function violation(field: string, code: string, message: string): FieldViolation {
  return { field, code, message };
}
