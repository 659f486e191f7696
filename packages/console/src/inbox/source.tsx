import { Badge } from '../ui/badge.tsx';
import { Icon } from '../ui/icons.tsx';

/** Names of platforms as they write themselves; others are shown as the server calls them. */
const known: Readonly<Record<string, string>> = {
  discord: 'Discord',
  imessage: 'iMessage',
  local: 'Local chat',
  slack: 'Slack',
  mattermost: 'Mattermost',
};

/** What reaches Messages by the phone network has a sender id of its own, since anybody can forge its sender. */
const networks: Readonly<Record<string, string>> = { 'sms:': 'SMS', 'rcs:': 'RCS' };

/** The network of a sender whom nobody vouches for, or null. */
function forgeable(source: string, senderId: string): string | null {
  return source === 'imessage' ? (networks[senderId.slice(0, 4)] ?? null) : null;
}

/** @param senderId whose messages it is about, where they are one sender's. */
export function sourceName(source: string, senderId = ''): string {
  return forgeable(source, senderId) ?? known[source] ?? source;
}

interface SourceBadgeProps {
  readonly source: string;
  readonly senderId?: string;
}

export function SourceBadge({ source, senderId = '' }: SourceBadgeProps) {
  const kind = forgeable(source, senderId) === null ? 'plain' : 'warn';
  return <Badge kind={kind}>{sourceName(source, senderId)}</Badge>;
}

/** Says before a decision that a sender is not who they seem to be, or need not be. */
export function ForgeableWarning({ source, senderId }: Required<SourceBadgeProps>) {
  const network = forgeable(source, senderId);
  if (network === null) return null;
  return (
    <div className="notice notice-warn" role="note">
      <Icon name="warning" />
      <p>
        <strong>Anybody can forge the sender of an {network} message.</strong> Allow this number only where a
        forged message does no harm. Its iMessages are another entry.
      </p>
    </div>
  );
}

/** The platform's id of a sender: the one thing about them that can't be faked. */
export function SenderId({ id }: { readonly id: string }) {
  return (
    <span className="sender-id" title="Given by the platform; it never changes, unlike the name">
      <Icon name="id" small />
      <span className="visually-hidden">Sender id </span>
      <code>{id}</code>
    </span>
  );
}
