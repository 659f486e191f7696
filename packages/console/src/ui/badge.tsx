import type { ReactNode } from 'react';

interface BadgeProps {
  readonly kind?: 'plain' | 'accent' | 'warn' | 'danger' | 'good';
  readonly title?: string;
  readonly children: ReactNode;
}

export function Badge({ kind = 'plain', title, children }: BadgeProps) {
  return (
    <span className={`badge badge-${kind}`} title={title}>
      {children}
    </span>
  );
}

/** A count that asks for attention; the words around it are for screen readers. */
export function CountBadge({ count, label }: { readonly count: number; readonly label: string }) {
  if (count === 0) return null;
  return (
    <span className="count-badge">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="visually-hidden">
        {count} {label}
      </span>
    </span>
  );
}
