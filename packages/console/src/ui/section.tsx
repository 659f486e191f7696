import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { ErrorState, Skeleton } from './states.tsx';

interface SectionProps {
  readonly title: string;
  readonly intro: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A page of a room: what it is, what one can do here, and the things themselves. */
export function Section({ title, intro, action, children }: SectionProps) {
  return (
    <div className="section">
      <header className="section-head">
        <div>
          <h1>{title}</h1>
          <p className="section-intro">{intro}</p>
        </div>
        {action}
      </header>
      {children}
    </div>
  );
}

interface Loadable<T> {
  readonly data: T | undefined;
  readonly isError: boolean;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: Loadable<T>;
  /** What is loaded, in the plural: “the tokens”. */
  readonly what: string;
  readonly shape?: 'messages' | 'list' | 'cards';
  readonly children: (data: T) => ReactNode;
}

/** Skeleton, error with a way to try again, or the data. Data that is there stays, whatever a refresh does. */
export function Loaded<T>({ query, what, shape = 'cards', children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return (
      <ErrorState
        title={`Could not load ${what}`}
        error={query.error}
        busy={query.isFetching}
        onRetry={() => query.refetch()}
      />
    );
  }
  return <Skeleton label={`Loading ${what}`} rows={5} shape={shape} />;
}

interface LoadMoreProps {
  readonly busy: boolean;
  readonly onLoad: () => void;
}

export function LoadMore({ busy, onLoad }: LoadMoreProps) {
  return (
    <div className="load-more">
      <Button kind="quiet" busy={busy} onClick={onLoad}>
        {busy ? 'Loading more…' : 'Load more'}
      </Button>
    </div>
  );
}
