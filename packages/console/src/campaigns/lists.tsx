import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type ListFields, type MailList, subscriberStatuses } from '../api/campaigns.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Area } from '../ui/area.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Check, Choice, Field } from '../ui/field.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, listsQuery } from './queries.ts';
import { ShareBar } from './share-bar.tsx';
import { errorAt, errorBeside } from './violations.ts';

export function ListsSection() {
  const room = useProject();
  const lists = useQuery(listsQuery(room));
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New list
    </Button>
  );
  return (
    <Section
      title="Lists"
      intro="People who agreed to hear from you. Each person has a status on each list of their own."
      action={lists.data !== undefined && lists.data.length > 0 && create}
    >
      <Loaded query={lists} what="the lists">
        {(all) =>
          all.length === 0 ? (
            <Empty icon="users" title="No lists yet" action={create}>
              <p>Make one, and bring people in from a file, by hand or over the API.</p>
            </Empty>
          ) : (
            <ul className="cards">
              {all.map((list) => (
                <li key={list.id}>
                  <ListCard list={list} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <ListDialog list={null} onClose={() => setCreating(false)} />}
    </Section>
  );
}

function ListCard({ list }: { readonly list: MailList }) {
  const { project } = useProject();
  return (
    <article className="card list-card" aria-label={list.name}>
      <div className="card-head">
        <div className="card-title">
          <h2>
            <Link to={paths.campaigns(project.id, 'lists', list.id)}>
              <bdi>{list.name}</bdi>
            </Link>
            {list.opt_in === 'double' && <Badge>double opt-in</Badge>}
            {list.public && <Badge kind="accent">public</Badge>}
          </h2>
          <p className="card-meta">
            {list.description !== null && <span>{list.description}</span>}
            <span>
              made <Time at={list.created_at} as="relative" />
            </span>
          </p>
        </div>
        <p className="list-total">
          <strong>{list.counts.subscribed.toLocaleString()}</strong> subscribed
        </p>
      </div>
      <ShareBar label={`${list.name} by status`} parts={statusParts(list)} />
    </article>
  );
}

export function statusParts(list: MailList) {
  return subscriberStatuses.map((status) => ({ name: status, kind: status, value: list.counts[status] }));
}

interface ListDialogProps {
  /** Null makes one. */
  readonly list: MailList | null;
  readonly onClose: () => void;
}

const shown = ['name', 'description', 'from', 'opt_in', 'public'] as const;

export function ListDialog({ list, onClose }: ListDialogProps) {
  const { api, project } = useProject();
  const [name, setName] = useState(list?.name ?? '');
  const [description, setDescription] = useState(list?.description ?? '');
  const [optIn, setOptIn] = useState<MailList['opt_in']>(list?.opt_in ?? 'single');
  const [fromName, setFromName] = useState(list?.from?.name ?? '');
  const [fromEmail, setFromEmail] = useState(list?.from?.email ?? '');
  const [isPublic, setPublic] = useState(list?.public ?? false);
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: () => {
      const hasFrom = fromEmail.trim() !== '' || fromName.trim() !== '';
      const fields: ListFields = {
        name: name.trim(),
        description: description.trim() || null,
        opt_in: optIn,
        from: hasFrom ? { name: fromName.trim() || null, email: fromEmail.trim() } : null,
        public: isPublic,
      };
      return list === null ? api.lists.create(fields) : api.lists.update(list.id, fields);
    },
    onSuccess(saved) {
      toast(list === null ? `${saved.name} is ready for people.` : 'Saved.');
      onClose();
      if (list === null) navigate(paths.campaigns(project.id, 'lists', saved.id));
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }

  const rest = errorBeside(save.error, shown);
  return (
    <Dialog title={list === null ? 'New list' : `Edit ${list.name}`} onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          value={name}
          data-starts-here
          hint="Its subscribers see it, on the preference page and wherever a mail names it."
          error={errorAt(save.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <Area
          label="Description (optional)"
          rows={2}
          value={description}
          error={errorAt(save.error, 'description')}
          onChange={(event) => setDescription(event.target.value)}
        />
        <Choice
          legend="Joining"
          name="opt-in"
          value={optIn}
          options={[
            { value: 'single', label: 'Single opt-in', hint: 'Whoever is added is subscribed at once.' },
            {
              value: 'double',
              label: 'Double opt-in',
              hint: 'A mail asks them to confirm first; it needs a sender below.',
            },
          ]}
          onChange={setOptIn}
        />
        <div className="field-pair">
          <Field
            label="Sender’s name"
            value={fromName}
            error={errorAt(save.error, 'from.name')}
            onChange={(event) => setFromName(event.target.value)}
          />
          <Field
            label="Sender’s address"
            type="email"
            value={fromEmail}
            error={errorAt(save.error, 'from.email')}
            onChange={(event) => setFromEmail(event.target.value)}
          />
        </div>
        <Check
          label="Public"
          hint="Whoever left can come back on the preference page, and what was sent is in a public archive."
          checked={isPublic}
          onChange={setPublic}
        />
        {rest !== null && <FormError text={rest} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={save.isPending}>
            {list === null ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
