import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { errorText } from '../api/http.ts';
import { type AllowlistChange, inboxApi } from '../api/inbox.ts';
import { counted } from '../lib/names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { useToast } from '../ui/toast.tsx';
import { LookalikeWarning } from './lookalike-warning.tsx';
import type { Lookalike } from './lookalikes.ts';
import { ForgeableWarning, SenderId, SourceBadge } from './source.tsx';

export interface AllowTarget {
  readonly source: string;
  readonly senderId: string;
  readonly displayName: string;
  readonly lookalikes: readonly Lookalike[];
}

/** Allows a sender of the quarantine and lets through what they wrote. */
export function AllowDialog({
  target,
  onClose,
}: {
  readonly target: AllowTarget;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(target.displayName);
  const [personId, setPersonId] = useState('');
  const client = useQueryClient();
  const toast = useToast();

  const allow = useMutation({
    mutationFn: () => inboxApi.allow(target.source, target.senderId, namesOf(name, personId), true),
    onSuccess({ released_count: released }) {
      toast(`${name.trim() || target.senderId} is allowed. ${counted(released, 'message')} released.`);
      onClose();
      return client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    allow.mutate();
  }

  return (
    <Dialog title="Allow this sender?" onClose={onClose}>
      <form onSubmit={submit} className="form">
        <p className="dialog-text">
          Agents will see what this account has written and will write. What it sends from now on is not held
          back.
        </p>
        <p className="dialog-line">
          <SourceBadge source={target.source} senderId={target.senderId} /> <SenderId id={target.senderId} />
        </p>
        <ForgeableWarning source={target.source} senderId={target.senderId} />
        {target.lookalikes.length > 0 && (
          <LookalikeWarning lookalikes={target.lookalikes} name={target.displayName} />
        )}
        <NameFields name={name} onName={setName} personId={personId} onPersonId={setPersonId} />
        {allow.isError && <FormError text={errorText(allow.error)} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={allow.isPending}>
            Allow and release
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface NameFieldsProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly personId: string;
  readonly onPersonId: (personId: string) => void;
}

export function NameFields({ name, onName, personId, onPersonId }: NameFieldsProps) {
  return (
    <>
      <Field
        label="Name shown to agents"
        value={name}
        hint="Takes the place of the platform’s name. Empty: the platform’s name is used."
        onChange={(event) => onName(event.target.value)}
      />
      <Field
        label="Person (optional)"
        value={personId}
        spellCheck={false}
        autoCapitalize="none"
        hint="The same on several platforms tells agents that it is one person, such as “anna”."
        onChange={(event) => onPersonId(event.target.value)}
      />
    </>
  );
}

/** Names as the route takes them: an empty field is none. */
export function namesOf(name: string, personId: string): AllowlistChange {
  return {
    ...(name.trim() !== '' && { display_name: name.trim() }),
    ...(personId.trim() !== '' && { person_id: personId.trim() }),
  };
}
