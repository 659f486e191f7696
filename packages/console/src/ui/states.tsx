import type { ReactNode } from 'react';
import { errorText } from '../api/http.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Says what would be here, and what to do so that it is. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <div className="state-text">{children}</div>
      {action}
    </div>
  );
}

interface ErrorStateProps {
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly busy?: boolean;
}

export function ErrorState({ title, error, onRetry, busy = false }: ErrorStateProps) {
  return (
    <div className="state" role="alert">
      <span className="state-icon state-icon-danger">
        <Icon name="warning" />
      </span>
      <h2>{title}</h2>
      <p className="state-text">{errorText(error)}</p>
      <Button icon="refresh" busy={busy} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

interface SkeletonProps {
  readonly label: string;
  readonly rows: number;
  readonly shape: 'messages' | 'list' | 'cards';
}

/** Grey shapes in the place of what is being fetched; the words are for screen readers. */
export function Skeleton({ label, rows, shape }: SkeletonProps) {
  return (
    <div className={`skeleton skeleton-${shape}`} role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={row} className="skeleton-row" aria-hidden="true">
          <span className="skeleton-dot" />
          <span className="skeleton-lines">
            <span className="skeleton-line" />
            <span className="skeleton-line" />
          </span>
        </div>
      ))}
    </div>
  );
}
