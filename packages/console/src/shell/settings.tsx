import { useMutation, useQueryClient } from '@tanstack/react-query';
import { errorText } from '../api/http.ts';
import { type Session, sessionApi } from '../api/session.ts';
import { useStored } from '../lib/storage.ts';
import { navigate, paths } from '../router.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Choice } from '../ui/field.tsx';
import { applyTheme, chosenTheme, type Theme } from './theme.ts';

const options: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

interface SettingsProps {
  readonly session: Session;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

export function SettingsDialog({ session, onClose, onShortcuts }: SettingsProps) {
  const theme = useStored(chosenTheme);
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: sessionApi.logout,
    onSuccess() {
      navigate(paths.login);
      client.clear();
    },
  });

  function choose(value: Theme): void {
    chosenTheme.write(value);
    applyTheme();
  }

  return (
    <Dialog title="Settings" onClose={onClose}>
      <Choice legend="Appearance" name="theme" value={theme} options={options} onChange={choose} />
      <dl className="facts">
        <dt>Version</dt>
        <dd>{session.version}</dd>
        <dt>Address</dt>
        <dd className="breakable">{session.public_url}</dd>
      </dl>
      {signOut.isError && <FormError text={errorText(signOut.error)} />}
      <div className="dialog-actions">
        <Button icon="keyboard" onClick={onShortcuts}>
          Shortcuts
        </Button>
        <Button icon="leave" busy={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      </div>
    </Dialog>
  );
}
