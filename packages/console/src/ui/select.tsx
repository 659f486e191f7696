import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'id' | 'className' | 'onChange'> {
  readonly label: string;
  readonly options: readonly SelectOption[];
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** The label is for screen readers only. */
  readonly bare?: boolean;
  readonly onChange: (value: string) => void;
}

/** A labelled choice of one of many. */
export function Select({ label, options, hint, error, bare = false, onChange, ...select }: SelectProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [hint != null && hintId, error != null && errorId].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id} className={bare ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select
        {...select}
        id={id}
        className="input select"
        aria-describedby={describedBy || undefined}
        aria-invalid={error != null || undefined}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
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
