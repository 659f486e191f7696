import { type FieldViolation, idPattern } from '@postern/kit';
import type { CampaignsPorts } from './ports.ts';
import { conditionFaults } from './segments/references.ts';

/** Fields that name other things of the project, which have to be there (contract, section 1: "reference"). */

type IdKind = 'list' | 'segment' | 'template' | 'subscriber';

/** A segment's condition names campaigns in its fields. */
export type ReferenceKind = IdKind | 'condition';

/** By the name of the field; its value is an id, several, or a condition. */
export type References = Readonly<Record<string, ReferenceKind>>;

const PATTERNS: Readonly<Record<IdKind, RegExp>> = {
  list: idPattern('lst'),
  segment: idPattern('seg'),
  template: idPattern('tpl'),
  subscriber: idPattern('sub'),
};

/** More than any field may hold; the schema refuses longer ones. */
const MOST_IDS = 100;

/**
 * Checks the references of an input that may be wrong in other ways too, so that all is told at once; what is no id
 * is the schema's to tell.
 *
 * @returns `not_allowed` for each field that names what is not in this project.
 */
export async function referenceViolations(
  ports: Pick<CampaignsPorts, 'store'>,
  projectId: string,
  references: References,
  input: Readonly<Record<string, unknown>>,
): Promise<FieldViolation[]> {
  const violations: FieldViolation[] = [];
  for (const [field, kind] of Object.entries(references)) {
    if (kind === 'condition') {
      violations.push(...(await conditionFaults(ports, projectId, field, input[field])));
      continue;
    }
    const given = idsOf(field, input[field]).filter(({ id }) => PATTERNS[kind].test(id));
    if (given.length === 0) continue;
    const there = await existing(ports, projectId, kind, [...new Set(given.map(({ id }) => id))]);
    for (const { place, id } of given) {
      if (!there.has(id)) {
        const message = `must be the id of a ${kind} of this project, found ${id}`;
        violations.push({ field: place, code: 'not_allowed', message });
      }
    }
  }
  return violations;
}

function idsOf(field: string, value: unknown): { place: string; id: string }[] {
  if (typeof value === 'string') return [{ place: field, id: value }];
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, MOST_IDS)
    .flatMap((id: unknown, index) => (typeof id === 'string' ? [{ place: `${field}.${index}`, id }] : []));
}

async function existing(
  { store: { db } }: Pick<CampaignsPorts, 'store'>,
  projectId: string,
  kind: IdKind,
  ids: readonly string[],
): Promise<Set<string>> {
  switch (kind) {
    case 'list': {
      const lists = db
        .selectFrom('mail_lists')
        .where('project_id', '=', projectId)
        .where('list_id', 'in', ids);
      const rows = await lists.where('deleted_us', 'is', null).select('list_id').execute();
      return new Set(rows.map((row) => row.list_id));
    }
    case 'segment': {
      const segments = db.selectFrom('mail_segments').where('project_id', '=', projectId);
      const rows = await segments.where('segment_id', 'in', ids).select('segment_id').execute();
      return new Set(rows.map((row) => row.segment_id));
    }
    case 'template': {
      const templates = db.selectFrom('mail_templates').where('project_id', '=', projectId);
      const rows = await templates.where('template_id', 'in', ids).select('template_id').execute();
      return new Set(rows.map((row) => row.template_id));
    }
    case 'subscriber': {
      const people = db.selectFrom('mail_subscribers').where('project_id', '=', projectId);
      const there = people.where('subscriber_id', 'in', ids).where('status', '!=', 'erased');
      return new Set((await there.select('subscriber_id').execute()).map((row) => row.subscriber_id));
    }
  }
}
