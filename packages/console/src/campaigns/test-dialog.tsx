import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Campaign } from '../api/campaigns.ts';
import { storedValue, useStored } from '../lib/storage.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { useToast } from '../ui/toast.tsx';
import { ActError } from './dry-run.tsx';
import { useProject } from './project.tsx';
import { errorAt } from './violations.ts';

/** Where the last test went; the next one most likely goes there too. */
const lastTest = storedValue('campaigns.test-address', (found) => (typeof found === 'string' ? found : ''));

/** What stands between commas; an empty field is one empty address, for the server to refuse. */
function addressesIn(text: string): readonly string[] {
  const parts = text.split(/[,;\n]/).flatMap((part) => part.trim() || []);
  return parts.length === 0 ? [''] : parts;
}

interface TestProps {
  readonly campaign: Campaign;
  readonly onClose: () => void;
}

export function TestDialog({ campaign, onClose }: TestProps) {
  const { api } = useProject();
  const [to, setTo] = useState(useStored(lastTest));
  const toast = useToast();
  const send = useMutation({
    mutationFn: () => api.campaigns.test(campaign.id, addressesIn(to)),
    onSuccess() {
      lastTest.write(to.trim());
      toast(`A test is on its way to ${addressesIn(to).join(', ')}.`);
      onClose();
    },
  });
  const fault = errorAt(send.error, 'to');
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send.mutate();
        }}
      >
        <Field
          label="To"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          value={to}
          data-starts-here
          hint="One address, or up to ten with commas between them. They get the mail as it stands, with made-up values; its unsubscribe links do nothing."
          error={fault}
          onChange={(event) => setTo(event.target.value)}
        />
        {send.isError && fault === null && <ActError error={send.error} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={send.isPending}>
            Send the test
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
