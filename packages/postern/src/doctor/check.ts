/** What one check of `postern doctor` found; sentences for the operator, no secrets. */
export interface Finding {
  readonly check: string;
  /** Only `failed` makes the command fail. */
  readonly status: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });

export const warning = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'warning',
  message,
  fix,
});

export const failed = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'failed',
  message,
  fix,
});
