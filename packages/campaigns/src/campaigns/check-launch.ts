import { type FieldViolation, formatMilliseconds } from '@postern/kit';
import { parseAddress } from '@postern/mail';
import { findSendingDomain } from '../domains/signing.ts';
import type { AudienceCount } from '../engine/audience/count.ts';
import type { CampaignsPorts } from '../ports.ts';
import type { CampaignTable } from '../tables.ts';
import { isLoopbackRelay } from '../transports/relay-address.ts';
import { transportKind } from '../transports/transport.ts';
import { checkContent, type Surroundings, senderOf, violation } from './check-content.ts';
import { countOnThread } from './count-audience.ts';
import type { LaunchedContent } from './launched.ts';
import { surroundingsOf } from './surroundings.ts';

/** All that is known of a launch before it happens. */
export interface LaunchCheck {
  /** Preconditions that are not met; a launch needs none. */
  readonly violations: readonly FieldViolation[];
  readonly warnings: readonly string[];
  readonly audience: AudienceCount;
  /** When it would go, in microseconds; null for at once. */
  readonly dueUs: number | null;
  /** What would be sent; null where violations leave nothing. */
  readonly launched: LaunchedContent | null;
}

/**
 * Checks everything that a launch of a draft or scheduled campaign rests on, and counts who would get it. Writes
 * nothing.
 *
 * @throws Failure storage_timeout when the audience can't be counted in time.
 */
export async function checkLaunch(
  ports: CampaignsPorts,
  campaign: CampaignTable,
  signal: AbortSignal,
): Promise<LaunchCheck> {
  const around = await surroundingsOf(ports, campaign);
  const content = await checkContent(ports, campaign, around);
  const { violations: ofAudience, count } = await checkAudience(ports, campaign, around, signal);
  const { violations: ofTime, dueUs } = checkTime(ports, campaign);
  return {
    violations: [
      ...ofAudience,
      ...content.violations,
      ...ofTime,
      ...(await checkTransport(ports, campaign.project_id, senderOf(campaign, around.lists))),
    ],
    warnings: content.warnings,
    audience: count,
    dueUs,
    launched: content.launched,
  };
}

async function checkAudience(
  ports: CampaignsPorts,
  campaign: CampaignTable,
  { lists }: Surroundings,
  signal: AbortSignal,
): Promise<{ violations: FieldViolation[]; count: AudienceCount }> {
  const { project_id: projectId, segment_id: segmentId } = campaign;
  const wanted: string[] = JSON.parse(campaign.list_ids_json);
  const there = new Set(lists.map((list) => list.list_id));
  const violations = wanted.flatMap((listId, index) =>
    there.has(listId)
      ? []
      : [violation(`list_ids.${index}`, 'invalid_state', `names a list that was deleted`)],
  );
  if (segmentId !== null && !(await hasSegment(ports, projectId, segmentId))) {
    violations.push(violation('segment_id', 'invalid_state', 'names a segment that was deleted'));
    return { violations, count: NOBODY };
  }
  const count = lists.length === 0 ? NOBODY : await countOnThread(ports, campaign, signal);
  if (count.recipients === 0) {
    const why =
      wanted.length === 0 ? 'is empty: choose a list at least' : 'leads to nobody who may be mailed';
    violations.push(violation('list_ids', 'no_recipients', why));
  }
  return { violations, count };
}

const NOBODY: AudienceCount = { recipients: 0, leftOut: {} };

async function hasSegment({ store }: CampaignsPorts, projectId: string, segmentId: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('mail_segments')
    .select('segment_id')
    .where('project_id', '=', projectId)
    .where('segment_id', '=', segmentId)
    .executeTakeFirst();
  return row !== undefined;
}

function checkTime(
  { clock }: Pick<CampaignsPorts, 'clock'>,
  { send_at_us, max_lateness_seconds }: CampaignTable,
): { violations: FieldViolation[]; dueUs: number | null } {
  const lateUs = send_at_us === null ? 0 : clock.nowMicroseconds() - send_at_us;
  if (lateUs < 0) return { violations: [], dueUs: send_at_us };
  if (send_at_us === null || lateUs <= max_lateness_seconds * 1_000_000)
    return { violations: [], dueUs: null };
  const at = formatMilliseconds(Math.floor(send_at_us / 1_000));
  const message = `${at} has passed by more than max_lateness_seconds (${max_lateness_seconds}); set a new one, or null`;
  return { violations: [violation('send_at', 'missed_send_time', message)], dueUs: null };
}

/** What leaving by SMTP asks for (contract, 8.10). */
export async function checkTransport(
  ports: CampaignsPorts,
  projectId: string,
  from: { readonly email: string } | null,
): Promise<FieldViolation[]> {
  if (transportKind(ports) === 'capture') return [];
  const violations: FieldViolation[] = [];
  if (from !== null && !ports.allowUnverifiedDomains) {
    const address = parseAddress(from.email);
    const domain = address.fault === undefined ? address.domain : '';
    const row = await findSendingDomain(ports.store.db, projectId, domain);
    if (row?.state !== 'verified') {
      const stands =
        row === undefined
          ? 'is no sending domain of this project: add it and set its DNS records'
          : `is ${row.state}: set its DNS records, then verify it`;
      violations.push(violation('from', 'domain_unverified', `has the domain ${domain}, which ${stands}`));
    }
  }
  if (!ports.publicUrl().startsWith('https:') && !ports.config.smtp.every(isLoopbackRelay)) {
    const message = 'is not https, which links in mails must be: set POSTERN_PUBLIC_URL';
    violations.push(violation('public_url', 'public_url_not_https', message));
  }
  return violations;
}
