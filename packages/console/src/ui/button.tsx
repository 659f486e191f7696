import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  /** Shown as working and not clickable, but still focusable, so that the keyboard keeps its place. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = 'plain', icon, busy = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${kind}`}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} small />}
      <span className="button-label">{children}</span>
    </button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** The accessible name, also shown as the tooltip. */
  readonly label: string;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, className = '', children, ...rest }: IconButtonProps) {
  return (
    <button type="button" title={label} {...rest} className={`icon-button ${className}`} aria-label={label}>
      <Icon name={icon} />
      {children}
    </button>
  );
}
