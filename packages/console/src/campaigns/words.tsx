import type { CampaignState, DeliveryState, SubscriberEvent, SubscriberStatus } from '../api/campaigns.ts';
import { Badge } from '../ui/badge.tsx';

type Kind = 'plain' | 'accent' | 'warn' | 'danger' | 'good';

const statusKinds: Readonly<Record<SubscriberStatus, Kind>> = {
  subscribed: 'good',
  unconfirmed: 'warn',
  unsubscribed: 'plain',
  bounced: 'danger',
  complained: 'danger',
  erased: 'plain',
};

export function StatusBadge({ status }: { readonly status: SubscriberStatus }) {
  return <Badge kind={statusKinds[status]}>{status}</Badge>;
}

const stateKinds: Readonly<Record<CampaignState, Kind>> = {
  draft: 'plain',
  scheduled: 'warn',
  running: 'accent',
  paused: 'warn',
  finished: 'good',
  cancelled: 'plain',
  failed: 'danger',
};

export function CampaignStateBadge({ state }: { readonly state: CampaignState }) {
  return <Badge kind={stateKinds[state]}>{state}</Badge>;
}

const deliveryKinds: Readonly<Record<DeliveryState, Kind>> = {
  pending: 'plain',
  submitted: 'accent',
  sent: 'good',
  deferred: 'warn',
  failed: 'danger',
  unknown: 'warn',
  skipped: 'plain',
  cancelled: 'plain',
};

export function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  return <Badge kind={deliveryKinds[state]}>{state}</Badge>;
}

const reasons: Readonly<Record<string, string>> = {
  hard_bounce: 'the address does not exist',
  soft_bounce: 'the mailbox would not take it',
  sender_fault: 'the server blames the sender',
  content_fault: 'the server blames the content',
  recipient_refused: 'the recipient was refused',
  expired: 'no answer within two days',
  smtputf8_unsupported: 'the address needs SMTPUTF8',
  message_too_large: 'the mail is too large',
  render_error: 'it could not be rendered',
  invalid_email: 'not an address',
  greylisted: 'greylisted, tried again',
  rate_limited: 'too fast, tried again',
  list_deleted: 'the list was deleted',
  duplicate: 'twice in this import',
  too_many_attributes: 'more attributes than fit',
  missed_send_time: 'its time to send passed while nothing could send it',
  error_share: 'too many mails were refused for reasons of sender or content',
  relay_refused: 'the mail server refuses our credentials or encryption',
  template_error: 'its content can’t be rendered',
  domain_unverified: 'its sending domain is not verified',
  audience_gone: 'a list or segment it mails is gone',
  requested: 'somebody asked for it',
};

/** A reason of the server's in plain words; one that is new here is shown as it came. */
export function reasonText(reason: string): string {
  return reasons[reason] ?? reason.replaceAll('_', ' ');
}

const eventWords: Readonly<Record<string, string>> = {
  opened: 'Opened',
  clicked: 'Clicked a link in',
  bounced: 'Could not be reached by',
  complained: 'Complained about',
  unsubscribed: 'Unsubscribed from',
  confirmed: 'Confirmed the subscription',
  resubscribed: 'Came back to the list',
};

/** What happened to somebody, as a line of their history. */
export function eventText({ type, campaign_name: campaign, details }: SubscriberEvent): string {
  const words = eventWords[type] ?? type.replaceAll('_', ' ');
  const of = campaign === null ? words.replace(/ (?:in|by|about|from)$/, '') : `${words} “${campaign}”`;
  const why = ['reason', 'kind', 'reply', 'url'].flatMap((key) => {
    const value = details[key];
    return typeof value === 'string' && value !== '' ? [reasonText(value)] : [];
  });
  return why.length === 0 ? of : `${of}: ${why[0]}`;
}
