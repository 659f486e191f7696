import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Shows a secret the one time it can be shown. */
export function SecretDialog({ title, secret, onClose, children }: SecretProps) {
  return (
    <Dialog title={title} onClose={onClose} wide stays>
      <div className="notice notice-warn">
        <Icon name="warning" />
        <p>
          <strong>Copy it now.</strong> It can’t be shown again.
        </p>
      </div>
      <div className="secret">
        <code className="breakable">{secret}</code>
        <CopyButton text={secret} label="Copy secret" />
      </div>
      {children}
      <div className="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          Done, it is kept
        </Button>
      </div>
    </Dialog>
  );
}
