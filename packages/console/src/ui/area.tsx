import { type ReactNode, type TextareaHTMLAttributes, useId } from 'react';

interface AreaProps extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'className'> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** Set in the typewriter face, for markup. */
  readonly code?: boolean;
}

/** A labelled text of several lines. */
export function Area({ label, hint, error, code = false, ...input }: AreaProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [hint != null && hintId, error != null && errorId].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        autoComplete="off"
        {...(code && { spellCheck: false, wrap: 'off', autoCapitalize: 'none' })}
        {...input}
        id={id}
        className={code ? 'input area area-code' : 'input area'}
        aria-describedby={describedBy || undefined}
        aria-invalid={error != null || undefined}
      />
      {error != null && (
        <p id={errorId} className="field-error">
          {error}
        </p>
      )}
      {hint != null && (
        <p id={hintId} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
