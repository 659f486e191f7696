import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { adminApi, type MailList, type Subscriber } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { Link, paths } from '../router.tsx';
import { Area } from '../ui/area.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Check, Field } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { attributesText, readAttributes } from './attributes.ts';
import { DryRunDialog } from './dry-run.tsx';
import { useProject } from './project.tsx';
import { campaignsKey } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';
import { eventText, reasonText, StatusBadge } from './words.tsx';

interface AddProps {
  readonly list: MailList;
  readonly onClose: () => void;
}

export function AddSubscriberDialog({ list, onClose }: AddProps) {
  const { api, project } = useProject();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [attributes, setAttributes] = useState('');
  const [resubscribe, setResubscribe] = useState(false);
  const [evidence, setEvidence] = useState('');
  const read = readAttributes(attributes);
  const [checked, setChecked] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const add = useMutation({
    mutationFn: () =>
      api.subscribers.add(list.id, {
        email: email.trim(),
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(read.value !== null && { attributes: read.value }),
        ...(resubscribe && { resubscribe, evidence }),
      }),
    onSuccess(subscriber) {
      toast(
        subscriber.status === 'unconfirmed'
          ? `A mail asks ${subscriber.email} to confirm.`
          : `${subscriber.email} is ${subscriber.status}.`,
      );
      onClose();
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (read.fault === null) add.mutate();
  }

  const rest = errorBeside(add.error, ['email', 'name', 'attributes', 'evidence']);
  return (
    <Dialog title={`Add to ${list.name}`} onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="E-mail address"
          type="email"
          value={email}
          data-starts-here
          error={errorAt(add.error, 'email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label="Name (optional)"
          value={name}
          error={errorAt(add.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <Area
          label="Attributes (optional)"
          rows={3}
          code
          value={attributes}
          placeholder={'city: Lisbon\nplan: pro'}
          hint="One a line, as name: value. Templates and segments use them."
          error={(checked ? read.fault : null) ?? errorAt(add.error, 'attributes')}
          onChange={(event) => setAttributes(event.target.value)}
        />
        <Check
          label="They asked to come back"
          hint="Only for somebody who unsubscribed, bounced or complained before."
          checked={resubscribe}
          onChange={setResubscribe}
        />
        {resubscribe && (
          <Area
            label="How and when they agreed"
            rows={2}
            value={evidence}
            error={errorAt(add.error, 'evidence')}
            onChange={(event) => setEvidence(event.target.value)}
          />
        )}
        {rest !== null && <FormError text={rest} />}
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

interface SubscriberDialogProps {
  readonly subscriber: Subscriber;
  readonly list: MailList;
  readonly onClose: () => void;
}

type Act = 'unsubscribe' | 'erase' | null;

/** One person on one list: what is known, what happened, and what can be done. */
export function SubscriberDialog({ subscriber: given, list, onClose }: SubscriberDialogProps) {
  const { api, project } = useProject();
  const [act, setAct] = useState<Act>(null);
  const current = useQuery({
    queryKey: [campaignsKey, project.id, 'subscriber', given.id],
    queryFn: ({ signal }) => api.subscribers.get(given.id, signal),
    staleTime: 0,
  });
  const subscriber = current.data ?? given;
  const who = subscriber.email ?? 'This person';
  if (act === 'erase') {
    return (
      <DryRunDialog
        title={`Erase ${who}?`}
        action="Erase for good"
        run={(dryRun) => api.subscribers.erase(subscriber.id, dryRun)}
        onClose={onClose}
      />
    );
  }
  if (act === 'unsubscribe') {
    return <UnsubscribeDialog subscriber={subscriber} onClose={onClose} />;
  }
  const isErased = subscriber.status === 'erased';
  return (
    <Dialog title={subscriber.email ?? 'Erased'} onClose={onClose} wide>
      <p className="dialog-line">
        <StatusBadge status={subscriber.status} />
        <span>on {list.name}</span>
      </p>
      {!isErased && <EditSubscriber key={subscriber.updated_at} subscriber={subscriber} />}
      <h3 className="dialog-sub">History</h3>
      <History subscriber={subscriber} />
      {!isErased && (
        <div className="dialog-actions">
          {subscriber.status !== 'unsubscribed' && (
            <Button onClick={() => setAct('unsubscribe')}>Unsubscribe…</Button>
          )}
          <Button kind="danger" onClick={() => setAct('erase')}>
            Erase…
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function EditSubscriber({ subscriber }: { readonly subscriber: Subscriber }) {
  const { api, project } = useProject();
  const before = attributesText(subscriber.attributes ?? {});
  const [name, setName] = useState(subscriber.name ?? '');
  const [attributes, setAttributes] = useState(before);
  const client = useQueryClient();
  const toast = useToast();
  const read = readAttributes(attributes);
  const save = useMutation({
    mutationFn: () => {
      // A line that was taken away takes its attribute with it.
      const gone = Object.keys(subscriber.attributes ?? {}).filter((key) => !(key in (read.value ?? {})));
      return api.subscribers.update(subscriber.id, {
        name: name.trim() || null,
        attributes: { ...read.value, ...Object.fromEntries(gone.map((key) => [key, null])) },
      });
    },
    onSuccess() {
      toast('Saved.');
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
    },
  });
  const isChanged = name !== (subscriber.name ?? '') || attributes !== before;
  const rest = errorBeside(save.error, ['name', 'attributes']);
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (read.fault === null) save.mutate();
      }}
    >
      <Field
        label="Name"
        value={name}
        error={errorAt(save.error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
      <Area
        label="Attributes"
        rows={Math.min(8, Math.max(2, attributes.split('\n').length))}
        code
        value={attributes}
        hint="One a line, as name: value."
        error={read.fault ?? errorAt(save.error, 'attributes')}
        onChange={(event) => setAttributes(event.target.value)}
      />
      {rest !== null && <FormError text={rest} />}
      {isChanged && (
        <div className="dialog-actions">
          <Button kind="primary" type="submit" busy={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

/** Of each kind; what came before is in the API. */
const EVENTS_SHOWN = 50;

function History({ subscriber }: { readonly subscriber: Subscriber }) {
  const { project } = useProject();
  const email = subscriber.email ?? '';
  const mails = useQuery({
    queryKey: [campaignsKey, 'captured', email, 10],
    queryFn: async ({ signal }) => (await adminApi.captured(email, 10, signal)).data,
    enabled: email !== '',
    staleTime: 0,
  });
  const happened = useQuery({
    queryKey: [campaignsKey, project.id, 'subscriber-events', subscriber.id],
    queryFn: async ({ signal }) =>
      (await adminApi.subscriberEvents(project.id, subscriber.id, EVENTS_SHOWN, signal)).data,
    staleTime: 0,
  });
  const { consent } = subscriber;
  const events = [
    ...(happened.data ?? []).map((event) => ({
      at: event.at,
      text: eventText(event),
      link: event.campaign_id === null ? null : paths.campaigns(project.id, 'campaigns', event.campaign_id),
    })),
    { at: subscriber.created_at, text: 'Came onto the list', link: null },
    ...(consent?.at == null
      ? []
      : [
          {
            at: consent.at,
            text: `Consent by ${reasonText(consent.source)}${consent.evidence === null ? '' : `: ${consent.evidence}`}`,
            link: null,
          },
        ]),
    ...(subscriber.updated_at === subscriber.created_at
      ? []
      : [{ at: subscriber.updated_at, text: `Last change; now ${subscriber.status}`, link: null }]),
    ...(mails.data ?? []).map((mail) => ({
      at: mail.created_at,
      text: `Mail “${mail.subject}” (captured)`,
      link: paths.campaigns(project.id, 'captured', mail.id),
    })),
  ].sort((one, other) => other.at.localeCompare(one.at));
  return (
    <ol className="history">
      {events.map(({ at, text, link }) => (
        <li key={`${at} ${text} ${link}`}>
          <span className="history-time">
            <Time at={at} as="relative" />
          </span>
          <p className="breakable">{link === null ? text : <Link to={link}>{text}</Link>}</p>
        </li>
      ))}
    </ol>
  );
}

interface UnsubscribeProps {
  readonly subscriber: Subscriber;
  readonly onClose: () => void;
}

function UnsubscribeDialog({ subscriber, onClose }: UnsubscribeProps) {
  const { api, project } = useProject();
  const [reason, setReason] = useState('');
  const client = useQueryClient();
  const toast = useToast();
  const act = useMutation({
    mutationFn: () => api.subscribers.unsubscribe(subscriber.id, reason.trim()),
    onSuccess() {
      toast(`${subscriber.email} gets no more mails of this list.`);
      onClose();
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
    },
  });
  return (
    <Dialog title={`Unsubscribe ${subscriber.email}?`} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          act.mutate();
        }}
      >
        <p className="dialog-text">
          They get no more mails of this list. Coming back takes their consent and a note of it.
        </p>
        <Field label="Why (optional)" value={reason} onChange={(event) => setReason(event.target.value)} />
        {act.isError && <FormError text={errorText(act.error)} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={act.isPending}>
            Unsubscribe
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
