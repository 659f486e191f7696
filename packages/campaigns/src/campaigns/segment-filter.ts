import type { RawBuilder, SqlBool } from 'kysely';
import type { CampaignsPorts } from '../ports.ts';

/** A segment as a condition over `mail_subscribers`; null takes everybody. */
export async function segmentFilter(
  _ports: Pick<CampaignsPorts, 'store' | 'clock'>,
  _projectId: string,
  segmentId: string | null,
): Promise<RawBuilder<SqlBool> | null> {
  if (segmentId === null) return null;
  throw new Error('segments cannot be evaluated yet');
}
