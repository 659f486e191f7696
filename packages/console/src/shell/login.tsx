import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError, errorText } from '../api/http.ts';
import { sessionApi } from '../api/session.ts';
import { navigate, paths } from '../router.tsx';
import { Button } from '../ui/button.tsx';
import { FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { PosternMark } from '../ui/icons.tsx';

/** Where someone wanted to go when they were sent to the login page. */
const WISHED_KEY = 'postern.wished-path';

export function rememberWishedPath(path: string): void {
  try {
    sessionStorage.setItem(WISHED_KEY, path);
  } catch {
    // They land on the first page instead.
  }
}

function takeWishedPath(): string {
  try {
    const path = sessionStorage.getItem(WISHED_KEY);
    sessionStorage.removeItem(WISHED_KEY);
    return path ?? paths.chat();
  } catch {
    return paths.chat();
  }
}

/** Finds the token in a pasted link or in the token itself. */
export function tokenIn(text: string): string | null {
  const trimmed = text.trim();
  const token = /[#&?]token=([^&#\s]+)/.exec(trimmed)?.[1] ?? (/^[\w.~-]+$/.test(trimmed) ? trimmed : null);
  return token === null ? null : decodeURIComponent(token);
}

/** Takes the token out of the address at once, so that it stays in no history, bookmark or screenshot. */
function takeTokenFromAddress(): string | null {
  const token = tokenIn(window.location.hash);
  if (window.location.hash !== '') window.history.replaceState(null, '', paths.login);
  return token;
}

interface LoginProps {
  /** True when a session that was there has ended. */
  readonly ended: boolean;
  readonly onLogin: () => Promise<unknown>;
}

export function LoginPage({ ended, onLogin }: LoginProps) {
  const [pasted, setPasted] = useState('');
  const [pasteError, setPasteError] = useState<string | null>(null);
  const started = useRef(false);
  const { mutate, isPending, isError, error } = useMutation({
    mutationFn: sessionApi.login,
    async onSuccess() {
      await onLogin();
      navigate(takeWishedPath(), { replace: true });
    },
  });

  useEffect(() => {
    function tryAddress(): void {
      const token = takeTokenFromAddress();
      if (token !== null) mutate(token);
    }
    // A token works once; it must not be spent twice when an effect runs again.
    if (!started.current) tryAddress();
    started.current = true;
    window.addEventListener('hashchange', tryAddress);
    return () => window.removeEventListener('hashchange', tryAddress);
  }, [mutate]);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const token = tokenIn(pasted);
    setPasteError(token === null ? 'Paste the whole link, or the part after “token=”.' : null);
    if (token === null) return;
    setPasted('');
    mutate(token);
  }

  const refused = isError && error instanceof ApiError && error.status >= 400 && error.status < 500;
  return (
    <main className="login" id="main">
      <div className="login-card">
        <p className="wordmark">
          <PosternMark />
          Postern
        </p>
        <h1>{isPending ? 'Signing in…' : 'Sign in'}</h1>
        {refused && (
          <div className="notice notice-warn" role="alert">
            <p>
              <strong>This link has expired or was already used.</strong>
            </p>
            <p>
              A link works once, for 15 minutes. Run <code>npx postern login</code> for a new link.
            </p>
          </div>
        )}
        {isError && !refused && <FormError text={errorText(error)} />}
        {ended && !isError && !isPending && (
          <p className="notice" role="status">
            Your session has ended. What you wrote is kept.
          </p>
        )}
        <p className="login-text">
          Run <code>npx postern login</code> in Postern’s folder on the machine it runs on, and open the link
          it prints. On another device, paste the link here.
        </p>
        <form onSubmit={submit}>
          <Field
            label="Login link"
            placeholder="https://…/console/login#token=…"
            value={pasted}
            error={pasteError}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => setPasted(event.target.value)}
          />
          <Button kind="primary" type="submit" busy={isPending}>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}
