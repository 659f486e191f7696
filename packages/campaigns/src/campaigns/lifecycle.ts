import { transitionTable } from '@postern/kit';

/**
 * The life of a campaign (contract, section 3). The API, the tools and the engine all move campaigns by this table;
 * what it does not list cannot happen.
 *
 * - `schedule` and `start` are a confirmed launch; `start` is also the due time of a scheduled campaign.
 * - `edit` is any change of what would be sent: only a new launch schedules it again.
 * - `finish` comes when no row of the ledger is open.
 * - `fail` is for what no retry mends: the audience can't be frozen, or a scheduled campaign is no longer fit to go.
 */
export const campaignLife = transitionTable('campaign', {
  draft: { edit: 'draft', schedule: 'scheduled', start: 'running', fail: 'failed' },
  scheduled: { edit: 'draft', schedule: 'scheduled', start: 'running', cancel: 'cancelled', fail: 'failed' },
  running: { pause: 'paused', finish: 'finished', cancel: 'cancelled', fail: 'failed' },
  paused: { resume: 'running', cancel: 'cancelled', fail: 'failed' },
  finished: {},
  cancelled: {},
  failed: {},
});

export type CampaignEvent = (typeof campaignLife.events)[number];

/** Why a campaign is where it is (`mail_campaigns.state_reason`), for the report. */
export type StateReason =
  /** Somebody asked for it. */
  | 'requested'
  /** Its due time passed by more than `max_lateness_seconds` while nothing could send it; it stays scheduled. */
  | 'missed_send_time'
  /** Too large a share of answers were faults of sender or content. */
  | 'error_share'
  /** The mail server refuses our credentials, or to encrypt. */
  | 'relay_refused'
  /** Its content can't be rendered. */
  | 'template_error'
  /** Its sending domain is not verified (any more). */
  | 'domain_unverified'
  /** A list or segment it mails is gone. */
  | 'audience_gone';
