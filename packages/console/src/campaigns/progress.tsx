import type { CampaignCounts } from '../api/campaigns.ts';
import { ShareBar } from './share-bar.tsx';

/** Recipients of a campaign by state. The order puts what has been decided first, so that the bar fills up. */
const order = [
  'sent',
  'failed',
  'skipped',
  'cancelled',
  'unknown',
  'deferred',
  'submitted',
  'pending',
] as const;

export function ProgressBar({ counts }: { readonly counts: CampaignCounts }) {
  return (
    <ShareBar
      label="Recipients by state"
      parts={order.map((state) => ({ name: state, kind: state, value: counts[state] }))}
    />
  );
}

/** Share of the audience that nothing more will happen to, from 0 to 1. */
export function doneShare(counts: CampaignCounts): number {
  if (counts.audience === 0) return 0;
  const open = counts.pending + counts.submitted + counts.deferred;
  return (counts.audience - open) / counts.audience;
}
