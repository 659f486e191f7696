import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { AuditLine, ThreadPlatform } from '../api/threads.ts';
import { Link, paths } from '../router.tsx';
import { Field } from '../ui/field.tsx';
import { Loaded, LoadMore, Section } from '../ui/section.tsx';
import { Select } from '../ui/select.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { actionText, actionWords, actorText, type Detail, detailsOf } from './audit-words.ts';
import { auditQuery, platformsQuery } from './queries.ts';

/** The record, newest first. */
export function AuditSection({ sessionId }: { readonly sessionId: string | null }) {
  const platforms = useQuery(platformsQuery);
  return (
    <Section
      title="Audit"
      intro={
        <>
          What agents did and who decided it, line by line. <code>npx postern audit verify</code> says whether
          a line was changed, moved, put in or taken out.
        </>
      }
    >
      <Loaded query={platforms} what="the platforms">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="list" title="No platform, no record">
              <p>Each platform of postern.yaml has a record of its own.</p>
            </Empty>
          ) : (
            <AuditTrail platforms={list} sessionId={sessionId} />
          )
        }
      </Loaded>
    </Section>
  );
}

interface TrailProps {
  readonly platforms: readonly ThreadPlatform[];
  readonly sessionId: string | null;
}

function AuditTrail({ platforms, sessionId }: TrailProps) {
  const [platformId, setPlatformId] = useState(platforms[0]?.id ?? '');
  const [action, setAction] = useState('');
  const [typed, setTyped] = useState(sessionId ?? '');
  const text = useDeferredValue(typed.trim());
  const trail = useInfiniteQuery(auditQuery({ platformId, action, text }));
  return (
    <>
      <form className="audit-filters" onSubmit={(event) => event.preventDefault()}>
        <Select
          label="Platform"
          value={platformId}
          options={platforms.map(({ id }) => ({ value: id, label: id }))}
          onChange={setPlatformId}
        />
        <Select
          label="What happened"
          value={action}
          options={[
            { value: '', label: 'everything' },
            ...Object.entries(actionWords).map(([value, label]) => ({ value, label })),
          ]}
          onChange={setAction}
        />
        <Field
          label="Person, tool or session"
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </form>
      <Loaded query={trail} what="the record">
        {({ pages }) => {
          const lines = pages.flatMap(({ data }) => data);
          if (lines.length === 0) {
            return (
              <Empty icon="list" title="Nothing on record">
                <p>No line fits what you look for.</p>
              </Empty>
            );
          }
          return (
            <>
              <ol className="audit-lines">
                {lines.map((line) => (
                  <li key={line.seq}>
                    <AuditEntry line={line} />
                  </li>
                ))}
              </ol>
              {trail.hasNextPage && (
                <LoadMore busy={trail.isFetchingNextPage} onLoad={() => void trail.fetchNextPage()} />
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function AuditEntry({ line }: { readonly line: AuditLine }) {
  const { told, marks } = detailsOf(line);
  const isNamed = line.actor_name !== null && !line.actor.startsWith('console:');
  return (
    <article className="audit-line" aria-label={actionText(line.action)}>
      <span className="audit-time">
        <Time at={line.time} as="list" />
      </span>
      <div className="audit-text">
        <p>
          <strong>{actionText(line.action)}</strong>
          {line.tool !== null && <code className="question-tool">{line.tool}</code>} by{' '}
          <bdi>{actorText(line)}</bdi>
          {isNamed && <code className="audit-id">{line.actor}</code>}
          {line.session !== null && (
            <>
              {' '}
              in <Link to={paths.threads('sessions', line.session)}>a session</Link>
            </>
          )}
        </p>
        <DetailList details={told} />
        {marks.length > 0 && (
          <details className="audit-marks">
            <summary>Ids and hashes</summary>
            <DetailList details={marks} />
          </details>
        )}
      </div>
    </article>
  );
}

function DetailList({ details }: { readonly details: readonly Detail[] }) {
  if (details.length === 0) return null;
  return (
    <dl className="audit-details">
      {details.map(({ label, text }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="breakable">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
