import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button, IconButton } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
  /** Closes by its own buttons alone: what it shows is lost with it, and a key or a click beside it is soon made. */
  readonly stays?: boolean;
}

/**
 * A modal on the browser's own dialog element, which keeps the focus inside, closes on Escape and hands the
 * focus back. Rendered only while it is open. It begins at what is marked with `data-starts-here`, else at its
 * first control.
 */
export function Dialog({ title, onClose, children, wide = false, stays = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) element.showModal();
    // React's autoFocus comes too early for this: nothing in a closed dialog takes the focus.
    element?.querySelector<HTMLElement>('[data-starts-here]')?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  function closeOnBackdrop(event: MouseEvent<HTMLDialogElement>): void {
    if (event.target === dialog.current && !stays) onClose();
  }

  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!stays) onClose();
      }}
      onKeyDown={(event) => {
        // A browser lets a second Escape pass whatever `onCancel` says of it.
        if (stays && event.key === 'Escape') event.preventDefault();
      }}
      onClick={closeOnBackdrop}
    >
      <div className="dialog-inner">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {!stays && <IconButton icon="close" label="Close" onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly kind?: 'danger' | 'primary';
  readonly busy?: boolean;
  readonly error?: string | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something that can't be undone, or that opens a door. */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div className="dialog-text">{props.children}</div>
      {props.error != null && <FormError text={props.error} />}
      <div className="dialog-actions">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button kind={props.kind ?? 'danger'} busy={props.busy ?? false} onClick={props.onConfirm}>
          {props.action}
        </Button>
      </div>
    </Dialog>
  );
}

export function FormError({ text }: { readonly text: string }) {
  return (
    <p className="form-error" role="alert">
      {text}
    </p>
  );
}
