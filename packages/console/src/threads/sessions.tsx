import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ThreadSession } from '../api/threads.ts';
import { counted } from '../lib/names.ts';
import { Link, paths } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Loaded, LoadMore, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { sessionsQuery } from './queries.ts';
import { SessionBadge } from './words.tsx';

type Shown = 'live' | 'ended';

const shownLabels: Readonly<Record<Shown, string>> = { live: 'Live', ended: 'Ended' };

export function SessionsSection() {
  const [shown, setShown] = useState<Shown>('live');
  const sessions = useInfiniteQuery(sessionsQuery(shown));
  return (
    <Section
      title="Sessions"
      intro="Each is a chat thread in which an agent works. People steer it there; here you see all of them, and can stop them."
    >
      <fieldset className="segmented">
        <legend className="visually-hidden">Which sessions</legend>
        {(['live', 'ended'] as const).map((name) => (
          <button key={name} type="button" aria-pressed={name === shown} onClick={() => setShown(name)}>
            {shownLabels[name]}
          </button>
        ))}
      </fieldset>
      <Loaded query={sessions} what="the sessions">
        {({ pages }) => {
          const list = pages.flatMap(({ data }) => data);
          if (list.length === 0) return <NoSessions shown={shown} />;
          return (
            <>
              <ul className="cards">
                {list.map((session) => (
                  <li key={session.id}>
                    <SessionCard session={session} />
                  </li>
                ))}
              </ul>
              {sessions.hasNextPage && (
                <LoadMore busy={sessions.isFetchingNextPage} onLoad={() => void sessions.fetchNextPage()} />
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function NoSessions({ shown }: { readonly shown: Shown }) {
  return shown === 'live' ? (
    <Empty icon="agent" title="No session is live">
      <p>Mention the bot in its channel, and the thread becomes a session.</p>
    </Empty>
  ) : (
    <Empty icon="list" title="No session has ended">
      <p>Sessions that were stopped or ran out stand here.</p>
    </Empty>
  );
}

export function sessionTitle({ title, owner }: Pick<ThreadSession, 'title' | 'owner'>): string {
  return title ?? `Session of ${owner.name}`;
}

function SessionCard({ session }: { readonly session: ThreadSession }) {
  return (
    <article className="card card-row" aria-label={sessionTitle(session)}>
      <div className="card-title">
        <h2>
          <Link to={paths.threads('sessions', session.id)} className="session-link">
            <bdi>{sessionTitle(session)}</bdi>
          </Link>
          <SessionBadge state={session.state} />
          {session.open_questions > 0 && <Badge kind="accent">waits for a decision</Badge>}
          {session.is_unattended && <Badge kind="warn">unattended</Badge>}
        </h2>
        <p className="card-meta">
          <span>{session.platform_id}</span>
          <span>
            by <bdi>{session.owner.name}</bdi>
          </span>
          <code className="breakable">{session.working_dir}</code>
          {session.queued > 0 && <span>{counted(session.queued, 'message')} queued</span>}
          {session.end_reason !== null && <span>{session.end_reason}</span>}
        </p>
      </div>
      <p className="session-time">
        <Time at={session.active_at} as="relative" />
      </p>
    </article>
  );
}
