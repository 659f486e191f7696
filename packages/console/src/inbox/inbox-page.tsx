import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Session } from '../api/session.ts';
import { type InboxSection, Link, paths } from '../router.tsx';
import { CountBadge } from '../ui/badge.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { AgentsSection } from './agents.tsx';
import { AllowlistSection } from './allowlist.tsx';
import { ConversationsSection } from './conversations.tsx';
import { PairingsSection } from './pairings.tsx';
import { QuarantineSection } from './quarantine.tsx';
import { pairingsQuery, useQuarantineCount } from './queries.ts';
import { WebhooksSection } from './webhooks.tsx';

const sections: Readonly<Record<InboxSection, { label: string; icon: IconName }>> = {
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
  const { label } = sections[section];
  useEffect(() => {
    document.title = `${label} · Postern`;
  }, [label]);

  // On a phone the sections are a strip that scrolls; the one that is open must be in sight.
  useEffect(() => {
    const link = document.querySelector<HTMLElement>(`.inbox-link[href="${paths.inbox(section)}"]`);
    const strip = link?.parentElement;
    if (link == null || strip == null) return;
    strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2;
  }, [section]);

  return (
    <div className="inbox" data-item={item !== null || undefined}>
      <nav className="pane inbox-nav" aria-label="Inbox" onKeyDown={(event) => moveByArrows(event)}>
        <header className="pane-head">
          <div className="pane-title">
            <h2>Inbox</h2>
          </div>
        </header>
        <div className="inbox-links">
          {Object.entries(sections).map(([name, { label: text, icon }]) => (
            <Link
              key={name}
              to={paths.inbox(name as InboxSection)}
              className="inbox-link"
              data-roving
              aria-current={name === section ? 'page' : undefined}
            >
              <Icon name={icon} small />
              <span>{text}</span>
              {name === 'quarantine' && <CountBadge count={quarantined} label="waiting" />}
              {name === 'pairings' && <CountBadge count={pairings} label="waiting" />}
            </Link>
          ))}
        </div>
      </nav>
      {section === 'conversations' && <ConversationsSection channelId={item} />}
      {section === 'quarantine' && <QuarantineSection />}
      {section === 'allowlist' && <AllowlistSection />}
      {section === 'pairings' && <PairingsSection />}
      {section === 'agents' && <AgentsSection session={session} />}
      {section === 'webhooks' && <WebhooksSection />}
    </div>
  );
}
