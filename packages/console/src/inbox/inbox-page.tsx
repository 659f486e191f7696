import { useQuery } from '@tanstack/react-query';
import type { Session } from '../api/session.ts';
import { type InboxSection, paths } from '../router.tsx';
import { RoomNav, type RoomSection, RoomTitle } from '../ui/room-nav.tsx';
import { AgentsSection } from './agents.tsx';
import { AllowlistSection } from './allowlist.tsx';
import { ConversationsSection } from './conversations.tsx';
import { PairingsSection } from './pairings.tsx';
import { QuarantineSection } from './quarantine.tsx';
import { pairingsQuery, useQuarantineCount } from './queries.ts';
import { WebhooksSection } from './webhooks.tsx';

const sections: Readonly<Record<InboxSection, RoomSection>> = {
  conversations: { label: 'Conversations', icon: 'chat' },
  quarantine: { label: 'Quarantine', icon: 'shield' },
  allowlist: { label: 'Allowlist', icon: 'shieldCheck' },
  pairings: { label: 'Pairings', icon: 'plug' },
  agents: { label: 'Agents', icon: 'agent' },
  webhooks: { label: 'Webhooks', icon: 'pulse' },
};

interface InboxPageProps {
  readonly section: InboxSection;
  readonly item: string | null;
  readonly session: Session;
}

export function InboxPage({ section, item, session }: InboxPageProps) {
  const quarantined = useQuarantineCount(true);
  const pairings = useQuery(pairingsQuery).data?.length ?? 0;
  return (
    <div className="inbox" data-item={item !== null || undefined}>
      <RoomNav
        label="Inbox"
        heading={<RoomTitle>Inbox</RoomTitle>}
        sections={sections}
        open={section}
        pathOf={paths.inbox}
        waiting={{ quarantine: quarantined, pairings }}
      />
      {section === 'conversations' && <ConversationsSection channelId={item} />}
      {section === 'quarantine' && <QuarantineSection />}
      {section === 'allowlist' && <AllowlistSection />}
      {section === 'pairings' && <PairingsSection />}
      {section === 'agents' && <AgentsSection session={session} />}
      {section === 'webhooks' && <WebhooksSection />}
    </div>
  );
}
