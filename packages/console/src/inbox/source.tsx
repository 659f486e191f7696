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

export function sourceName(source: string): string {
  return known[source] ?? source;
}

export function SourceBadge({ source }: { readonly source: string }) {
  return <Badge>{sourceName(source)}</Badge>;
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
