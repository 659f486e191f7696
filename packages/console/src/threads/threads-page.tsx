import { useEffect } from 'react';
import { Link, paths, type ThreadsSection } from '../router.tsx';
import '../styles/threads.css';
import { CountBadge } from '../ui/badge.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { AuditSection } from './audit.tsx';
import { MemorySection } from './memory.tsx';
import { PlatformsSection } from './platforms.tsx';
import { useOpenQuestions } from './queries.ts';
import { QuestionsSection } from './questions.tsx';
import { RoutinesSection } from './routines.tsx';
import { SessionPage } from './session-page.tsx';
import { SessionsSection } from './sessions.tsx';

const sections: Readonly<Record<ThreadsSection, { label: string; icon: IconName }>> = {
  sessions: { label: 'Sessions', icon: 'agent' },
  questions: { label: 'To decide', icon: 'shield' },
  routines: { label: 'Routines', icon: 'clock' },
  memory: { label: 'Memory', icon: 'file' },
  audit: { label: 'Audit', icon: 'list' },
  platforms: { label: 'Platforms', icon: 'plug' },
};

interface ThreadsPageProps {
  readonly section: ThreadsSection;
  readonly item: string | null;
}

/** Agent sessions in chat threads: what runs, what waits for somebody, and the record of it. */
export function ThreadsPage({ section, item }: ThreadsPageProps) {
  const open = useOpenQuestions(true);
  const { label } = sections[section];
  useEffect(() => {
    document.title = `${label} · Postern`;
  }, [label]);

  return (
    <div className="inbox threads" data-item={item !== null || undefined}>
      <nav className="pane inbox-nav" aria-label="Sessions" onKeyDown={(event) => moveByArrows(event)}>
        <header className="pane-head">
          <div className="pane-title">
            <h2>Sessions</h2>
          </div>
        </header>
        <div className="inbox-links">
          {Object.entries(sections).map(([name, { label: text, icon }]) => (
            <Link
              key={name}
              to={paths.threads(name as ThreadsSection)}
              className="inbox-link"
              data-roving
              aria-current={name === section ? 'page' : undefined}
            >
              <Icon name={icon} small />
              <span>{text}</span>
              {name === 'questions' && <CountBadge count={open} label="waiting" />}
            </Link>
          ))}
        </div>
      </nav>
      {section === 'sessions' && item === null && <SessionsSection />}
      {section === 'sessions' && item !== null && <SessionPage key={item} id={item} />}
      {section === 'questions' && <QuestionsSection />}
      {section === 'routines' && <RoutinesSection />}
      {section === 'memory' && <MemorySection />}
      {section === 'audit' && <AuditSection sessionId={item} />}
      {section === 'platforms' && <PlatformsSection />}
    </div>
  );
}
