import { problem } from '@postern/http';
import { forUpdate, type StoreHandle } from '@postern/store';
import type { Kysely } from 'kysely';
import { recordAct } from '../audit.ts';
import type { ContentSource } from '../content/compile.ts';
import { tellingTemplateErrors } from '../content/failure.ts';
import { sampleVariables, withData } from '../content/sample.ts';
import { type Rendered, renderOnThread } from '../content/tasks.ts';
import { type Page, page } from '../paging.ts';
import type { CampaignsPorts } from '../ports.ts';
import { quoted } from '../shapes/words.ts';
import type { CampaignsTables, TemplateTable } from '../tables.ts';
import { type TemplateAnswer, templateAnswer } from './shapes.ts';

export interface TemplateFields {
  readonly name: string;
  readonly subject: string | null;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly text: string | null;
}

export type TemplatePatch = { readonly [Field in keyof TemplateFields]?: TemplateFields[Field] | undefined };

/** @throws Failure validation_failed when it has both HTML and MJML. */
export async function createTemplate(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  fields: TemplateFields,
): Promise<TemplateAnswer> {
  requireOneMarkup(fields);
  const now = ports.clock.nowMicroseconds();
  const row: TemplateTable = {
    template_id: ports.newId('tpl'),
    project_id: projectId,
    ...columnsOf(fields),
    created_us: now,
    updated_us: now,
  };
  await ports.store.transaction(async (tx) => {
    await tx.insertInto('mail_templates').values(row).execute();
    await recordAct(tx, ports, { actor, action: 'create_template', target: row.template_id });
  });
  return templateAnswer(row);
}

/** Oldest first. */
export async function pageOfTemplates(
  { store }: CampaignsPorts,
  projectId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<Page<TemplateAnswer>> {
  const { rows, next_cursor } = await page(
    request,
    'tpl',
    ({ after, limit }) => {
      const query = store.db
        .selectFrom('mail_templates')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('template_id')
        .limit(limit);
      return (after === null ? query : query.where('template_id', '>', after)).execute();
    },
    (row) => row.template_id,
  );
  return { rows: rows.map(templateAnswer), next_cursor };
}

/** @throws Failure not_found. */
export async function getTemplate(
  { store }: CampaignsPorts,
  projectId: string,
  templateId: string,
): Promise<TemplateAnswer> {
  return templateAnswer(await requireTemplate(store.db, projectId, templateId));
}

/** @throws Failure not_found; validation_failed when it would have both HTML and MJML. */
export async function updateTemplate(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  templateId: string,
  patch: TemplatePatch,
): Promise<TemplateAnswer> {
  return ports.store.transaction(async (tx) => {
    const query = tx
      .selectFrom('mail_templates')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('template_id', '=', templateId);
    const found = await forUpdate(tx, query).executeTakeFirst();
    if (!found) throw noTemplate(templateId);
    const change = columnsOf(patch);
    if (Object.keys(change).length === 0) return templateAnswer(found);
    const row = { ...found, ...change, updated_us: ports.clock.nowMicroseconds() };
    requireOneMarkup(row);
    await tx.updateTable('mail_templates').set(row).where('template_id', '=', templateId).execute();
    const details = { fields: Object.keys(change) };
    await recordAct(tx, ports, { actor, action: 'update_template', target: templateId, details });
    return templateAnswer(row);
  });
}

/** Deletes a template; campaigns that were launched keep what they took from it. @throws Failure not_found. */
export async function deleteTemplate(
  ports: CampaignsPorts,
  actor: string,
  projectId: string,
  templateId: string,
): Promise<{ effect: string }> {
  return ports.store.transaction(async (tx) => {
    const gone = await tx
      .deleteFrom('mail_templates')
      .where('project_id', '=', projectId)
      .where('template_id', '=', templateId)
      .returning('name')
      .executeTakeFirst();
    if (!gone) throw noTemplate(templateId);
    await recordAct(tx, ports, { actor, action: 'delete_template', target: templateId });
    return { effect: `Deleted the template ${quoted(gone.name)}.` };
  });
}

/**
 * What a template says: with the data given, over the project's own name and address, over made-up values.
 *
 * @throws Failure not_found; precondition_failed with `template_error` and the place of each error.
 */
export async function renderTemplate(
  ports: CampaignsPorts,
  projectId: string,
  templateId: string,
  given: { readonly data: Readonly<Record<string, unknown>>; readonly strict: boolean },
): Promise<Rendered> {
  const row = await requireTemplate(ports.store.db, projectId, templateId);
  const project = await ports.store.db
    .selectFrom('mail_projects')
    .select(['name', 'sender_address'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  const variables = withData(withData(sampleVariables(ports.publicUrl()), { project }), given.data);
  return tellingTemplateErrors(() => renderOnThread(ports, sourceOf(row), variables, given.strict));
}

/** A template as what compiles. */
export function sourceOf({ subject, html, mjml, text }: TemplateFields): ContentSource {
  return { subject: subject ?? '', preheader: null, html, mjml, text };
}

/** @throws Failure not_found. */
export async function requireTemplate(
  db: StoreHandle,
  projectId: string,
  templateId: string,
): Promise<TemplateTable> {
  const row = await (db as unknown as Kysely<CampaignsTables>)
    .selectFrom('mail_templates')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  if (!row) throw noTemplate(templateId);
  return row;
}

function requireOneMarkup({ html, mjml }: Pick<TemplateFields, 'html' | 'mjml'>): void {
  if (html === null || mjml === null) return;
  const message = 'must not be given with html: it takes its place';
  throw problem('validation_failed', `mjml ${message}`, {
    violations: [{ field: 'mjml', code: 'not_allowed', message }],
  });
}

function columnsOf(fields: TemplateFields): TemplateFields;
function columnsOf(fields: TemplatePatch): Partial<TemplateFields>;
function columnsOf({ name, subject, html, mjml, text }: TemplatePatch): Partial<TemplateFields> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(subject === undefined ? {} : { subject }),
    ...(html === undefined ? {} : { html }),
    ...(mjml === undefined ? {} : { mjml }),
    ...(text === undefined ? {} : { text }),
  };
}

function noTemplate(templateId: string) {
  return problem('not_found', `There is no template ${templateId} in this project.`);
}
