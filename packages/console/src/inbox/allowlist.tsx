import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { errorText } from '../api/http.ts';
import { type AllowlistEntry, inboxApi } from '../api/inbox.ts';
import { counted } from '../lib/names.ts';
import { Link, paths } from '../router.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog, Dialog, FormError } from '../ui/dialog.tsx';
import { Check, Field } from '../ui/field.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { NameFields, namesOf } from './allow-dialog.tsx';
import { allowlistQuery } from './queries.ts';
import { SenderId, SourceBadge, sourceName } from './source.tsx';

type Open =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit' | 'remove'; readonly entry: AllowlistEntry }
  | null;

export function AllowlistSection() {
  const allowlist = useQuery(allowlistQuery);
  const [open, setOpen] = useState<Open>(null);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
      Add a sender
    </Button>
  );
  return (
    <Section
      title="Allowlist"
      intro="Whose messages agents see. An entry is an account on a platform, by its id; names never grant access."
      action={allowlist.data !== undefined && allowlist.data.length > 0 && add}
    >
      <Loaded query={allowlist} what="the allowlist">
        {(entries) =>
          entries.length === 0 ? (
            <Empty icon="shieldCheck" title="Nobody is allowed yet" action={add}>
              <p>
                Agents see no message until you allow its sender. The easiest way: let the person write first,
                then allow them from the <Link to={paths.inbox('quarantine')}>quarantine</Link>.
              </p>
            </Empty>
          ) : (
            <ul className="cards">
              {entries.map((entry) => (
                <li key={`${entry.source} ${entry.sender_id}`}>
                  <EntryCard
                    entry={entry}
                    onEdit={() => setOpen({ kind: 'edit', entry })}
                    onRemove={() => setOpen({ kind: 'remove', entry })}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open?.kind === 'add' && <AddDialog onClose={() => setOpen(null)} />}
      {open?.kind === 'edit' && <EditDialog entry={open.entry} onClose={() => setOpen(null)} />}
      {open?.kind === 'remove' && <RemoveDialog entry={open.entry} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function nameOf(entry: AllowlistEntry): string {
  return entry.display_name ?? entry.sender_id;
}

interface EntryCardProps {
  readonly entry: AllowlistEntry;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function EntryCard({ entry, onEdit, onRemove }: EntryCardProps) {
  const name = nameOf(entry);
  return (
    <article className="card card-row" aria-label={`${name}, ${sourceName(entry.source, entry.sender_id)}`}>
      <Avatar id={entry.sender_id} name={name} />
      <div className="card-title">
        <h2>
          <bdi>{name}</bdi>
          <SourceBadge source={entry.source} senderId={entry.sender_id} />
          {entry.person_id !== null && <Badge kind="accent">{entry.person_id}</Badge>}
        </h2>
        <p className="card-meta">
          <SenderId id={entry.sender_id} />
          <span>
            added <Time at={entry.created_at} as="relative" />
          </span>
        </p>
      </div>
      <div className="card-actions">
        <IconButton icon="pencil" label={`Edit ${name}`} onClick={onEdit} />
        <IconButton icon="trash" label={`Remove ${name}`} className="icon-button-danger" onClick={onRemove} />
      </div>
    </article>
  );
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const [source, setSource] = useState('local');
  const [senderId, setSenderId] = useState('');
  const [name, setName] = useState('');
  const [personId, setPersonId] = useState('');
  const [release, setRelease] = useState(true);
  const [checked, setChecked] = useState(false);
  const client = useQueryClient();
  const toast = useToast();

  const add = useMutation({
    mutationFn: () => inboxApi.allow(source.trim(), senderId.trim(), namesOf(name, personId), release),
    onSuccess({ released_count: released }) {
      toast(released > 0 ? `Added. ${counted(released, 'message')} released.` : 'Added to the allowlist.');
      onClose();
      return client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (source.trim() !== '' && senderId.trim() !== '') add.mutate();
  }

  return (
    <Dialog title="Add a sender" onClose={onClose}>
      <form onSubmit={submit} className="form" noValidate>
        <Field
          label="Platform"
          value={source}
          list="known-sources"
          spellCheck={false}
          autoCapitalize="none"
          error={checked && source.trim() === '' ? 'Say which platform: local, discord, imessage…' : null}
          onChange={(event) => setSource(event.target.value)}
        />
        <datalist id="known-sources">
          <option value="local" />
          <option value="discord" />
          <option value="imessage" />
        </datalist>
        <Field
          label="Sender id"
          value={senderId}
          spellCheck={false}
          autoCapitalize="none"
          error={checked && senderId.trim() === '' ? 'Give the id of the account.' : null}
          hint="The platform’s own: a Discord user id, a phone number as +49…, an Apple-ID address, an id of the local chat."
          onChange={(event) => setSenderId(event.target.value)}
        />
        <NameFields name={name} onName={setName} personId={personId} onPersonId={setPersonId} />
        <Check
          label="Release what they have in quarantine"
          hint="Off, only new messages reach agents."
          checked={release}
          onChange={setRelease}
        />
        {add.isError && <FormError text={errorText(add.error)} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={add.isPending}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface EntryDialogProps {
  readonly entry: AllowlistEntry;
  readonly onClose: () => void;
}

function EditDialog({ entry, onClose }: EntryDialogProps) {
  const [name, setName] = useState(entry.display_name ?? '');
  const [personId, setPersonId] = useState(entry.person_id ?? '');
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    // Null empties a name that was there.
    mutationFn: () =>
      inboxApi.allow(
        entry.source,
        entry.sender_id,
        { display_name: name.trim() || null, person_id: personId.trim() || null },
        false,
      ),
    onSuccess() {
      toast('Saved.');
      onClose();
      return client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  return (
    <Dialog title="Edit the entry" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <p className="dialog-line">
          <SourceBadge source={entry.source} senderId={entry.sender_id} /> <SenderId id={entry.sender_id} />
        </p>
        <NameFields name={name} onName={setName} personId={personId} onPersonId={setPersonId} />
        {save.isError && <FormError text={errorText(save.error)} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function RemoveDialog({ entry, onClose }: EntryDialogProps) {
  const client = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => inboxApi.disallow(entry.source, entry.sender_id),
    onSuccess() {
      toast(`${nameOf(entry)} is no longer allowed.`);
      onClose();
      return client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  return (
    <ConfirmDialog
      title={`Remove ${nameOf(entry)}?`}
      action="Remove"
      busy={remove.isPending}
      error={remove.isError ? errorText(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>What they write from now on goes to quarantine. What agents have seen stays where it is.</p>
    </ConfirmDialog>
  );
}
