import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icons.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'failed';
}

type ShowToast = (text: string, kind?: Toast['kind']) => void;

const ToastContext = createContext<ShowToast>(() => {});

/** Shows a short note at the edge of the page and has it read aloud. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

const SHOWN_MILLISECONDS = 6000;
const MAX_TOASTS = 3;

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(1);

  const dismiss = useCallback((id: number) => {
    setToasts((shown) => shown.filter((toast) => toast.id !== id));
  }, []);

  const show = useCallback<ShowToast>(
    (text, kind = 'done') => {
      const id = nextId.current++;
      setToasts((shown) => [...shown, { id, text, kind }].slice(-MAX_TOASTS));
      // A failure stays until it is dismissed: it may say what to do.
      if (kind === 'done') window.setTimeout(() => dismiss(id), SHOWN_MILLISECONDS);
    },
    [dismiss],
  );

  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={`toast toast-${toast.kind}`}>
            <Icon name={toast.kind === 'done' ? 'check' : 'warning'} />
            <p>{toast.text}</p>
            <IconButton icon="close" label="Dismiss" onClick={() => dismiss(toast.id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
