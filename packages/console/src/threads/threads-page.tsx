import { paths, type ThreadsSection } from '../router.tsx';
import '../styles/threads.css';
import { RoomNav, type RoomSection, RoomTitle } from '../ui/room-nav.tsx';
import { AuditSection } from './audit.tsx';
import { MemorySection } from './memory.tsx';
import { PlatformsSection } from './platforms.tsx';
import { useOpenQuestions } from './queries.ts';
import { QuestionsSection } from './questions.tsx';
import { RoutinesSection } from './routines.tsx';
import { SessionPage } from './session-page.tsx';
import { SessionsSection } from './sessions.tsx';

const sections: Readonly<Record<ThreadsSection, RoomSection>> = {
  sessions: { label: 'Sessions', icon: 'agent' },
  questions: { label: 'To decide', icon: 'shield' },
  routines: { label: 'Routines & watches', icon: 'clock' },
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
  return (
    <div className="inbox threads" data-item={item !== null || undefined}>
      <RoomNav
        label="Sessions"
        heading={<RoomTitle>Sessions</RoomTitle>}
        sections={sections}
        open={section}
        pathOf={paths.threads}
        waiting={{ questions: open }}
      />
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
