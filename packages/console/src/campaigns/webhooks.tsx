import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { MadeWebhook, Webhook, WebhookDelivery } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { counted } from '../lib/names.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog, Dialog, FormError } from '../ui/dialog.tsx';
import { Check, Field } from '../ui/field.tsx';
import { Loaded, LoadMore, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, webhookDeliveriesQuery, webhooksQuery } from './queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { errorAt, errorBeside } from './violations.ts';

const eventTypes = [
  ['delivery.sent', 'A mail was taken by its server'],
  ['delivery.bounced', 'A mail came back'],
  ['delivery.complained', 'Somebody called a mail spam'],
  ['subscriber.unsubscribed', 'Somebody left a list'],
  ['campaign.finished', 'A campaign is done'],
  ['campaign.paused', 'A campaign was paused'],
  ['campaign.failed', 'A campaign failed'],
] as const;

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'delete' | 'deliveries'; readonly webhook: Webhook }
  | { readonly kind: 'secret'; readonly webhook: MadeWebhook }
  | null;

export function WebhooksSection() {
  const room = useProject();
  const webhooks = useQuery(webhooksQuery(room));
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create' })}>
      New webhook
    </Button>
  );
  return (
    <Section
      title="Webhooks"
      intro="What happens is pushed to your addresses, signed after Standard Webhooks."
      action={webhooks.data !== undefined && webhooks.data.length > 0 && create}
    >
      <Loaded query={webhooks} what="the webhooks">
        {(all) =>
          all.length === 0 ? (
            <Empty icon="pulse" title="No webhooks yet" action={create}>
              <p>Have bounces, complaints and finished campaigns told to your own system.</p>
            </Empty>
          ) : (
            <ul className="cards">
              {all.map((webhook) => (
                <li key={webhook.id}>
                  <WebhookCard webhook={webhook} onOpen={setOpen} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {open?.kind === 'create' && (
        <WebhookDialog
          webhook={null}
          onMade={(webhook) => setOpen({ kind: 'secret', webhook })}
          onClose={close}
        />
      )}
      {open?.kind === 'edit' && <WebhookDialog webhook={open.webhook} onMade={close} onClose={close} />}
      {open?.kind === 'secret' && (
        <SecretDialog title="Signing secret" secret={open.webhook.secret ?? ''} onClose={close}>
          <p className="field-hint">Requests to {open.webhook.url} are signed with it.</p>
        </SecretDialog>
      )}
      {open?.kind === 'delete' && <DeleteDialog webhook={open.webhook} onClose={close} />}
      {open?.kind === 'deliveries' && <DeliveriesDialog webhook={open.webhook} onClose={close} />}
    </Section>
  );
}

interface CardProps {
  readonly webhook: Webhook;
  readonly onOpen: (open: Open) => void;
}

function WebhookCard({ webhook, onOpen }: CardProps) {
  return (
    <article className="card card-row" aria-label={webhook.url}>
      <div className="card-title">
        <h2>
          <span className="breakable">{webhook.url}</span>
          {!webhook.enabled && <Badge kind="warn">off</Badge>}
        </h2>
        <p className="card-meta">
          <span>{webhook.events.join(', ')}</span>
        </p>
      </div>
      <Button onClick={() => onOpen({ kind: 'deliveries', webhook })}>Deliveries</Button>
      <div className="card-actions">
        <IconButton
          icon="pencil"
          label={`Edit ${webhook.url}`}
          onClick={() => onOpen({ kind: 'edit', webhook })}
        />
        <IconButton
          icon="trash"
          label={`Delete ${webhook.url}`}
          className="icon-button-danger"
          onClick={() => onOpen({ kind: 'delete', webhook })}
        />
      </div>
    </article>
  );
}

interface WebhookDialogProps {
  /** Null makes one. */
  readonly webhook: Webhook | null;
  readonly onMade: (webhook: MadeWebhook) => void;
  readonly onClose: () => void;
}

function WebhookDialog({ webhook, onMade, onClose }: WebhookDialogProps) {
  const { api, project } = useProject();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(
    webhook?.events ?? ['delivery.bounced', 'delivery.complained', 'campaign.finished'],
  );
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true);
  const client = useQueryClient();
  const save = useMutation({
    async mutationFn(): Promise<MadeWebhook | null> {
      if (webhook === null) return api.webhooks.create({ url: url.trim(), events });
      await api.webhooks.update(webhook.id, { url: url.trim(), events, enabled });
      return null;
    },
    onSuccess(made) {
      if (made === null) onClose();
      else onMade(made);
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'webhooks'] });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }

  const eventFault = errorAt(save.error, 'events');
  const rest = errorBeside(save.error, ['url', 'events', 'enabled']);
  return (
    <Dialog title={webhook === null ? 'New webhook' : 'Edit the webhook'} onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Address"
          type="url"
          value={url}
          placeholder="https://…"
          data-starts-here
          error={errorAt(save.error, 'url')}
          onChange={(event) => setUrl(event.target.value)}
        />
        <fieldset className="choice">
          <legend>Tell it when</legend>
          {eventTypes.map(([type, text]) => (
            <Check
              key={type}
              label={text}
              hint={<code>{type}</code>}
              checked={events.includes(type)}
              onChange={(on) => setEvents(on ? [...events, type] : events.filter((one) => one !== type))}
            />
          ))}
        </fieldset>
        {eventFault !== null && <FormError text={eventFault} />}
        {webhook !== null && (
          <Check label="On" hint="Off, nothing is pushed." checked={enabled} onChange={setEnabled} />
        )}
        {rest !== null && <FormError text={rest} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={save.isPending}>
            {webhook === null ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface WebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

function DeleteDialog({ webhook, onClose }: WebhookProps) {
  const { api, project } = useProject();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.webhooks.remove(webhook.id),
    onSuccess() {
      onClose();
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'webhooks'] });
    },
  });
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      action="Delete"
      busy={remove.isPending}
      error={remove.isError ? errorText(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p className="breakable">Nothing is pushed to {webhook.url} any more; what waits for it is dropped.</p>
    </ConfirmDialog>
  );
}

function DeliveriesDialog({ webhook, onClose }: WebhookProps) {
  const room = useProject();
  const deliveries = useInfiniteQuery({
    ...webhookDeliveriesQuery(room, webhook.id),
    refetchInterval: 3_000,
  });
  return (
    <Dialog title="Deliveries" onClose={onClose} wide>
      <p className="dialog-text breakable">To {webhook.url}</p>
      <Loaded query={deliveries} what="the deliveries" shape="list">
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.data);
          if (rows.length === 0) return <p className="section-none">Nothing has been pushed yet.</p>;
          return (
            <>
              <ul className="rows">
                {rows.map((delivery) => (
                  <li key={delivery.id} className="rows-item">
                    <DeliveryRow webhook={webhook} delivery={delivery} />
                  </li>
                ))}
              </ul>
              {deliveries.hasNextPage && (
                <LoadMore
                  busy={deliveries.isFetchingNextPage}
                  onLoad={() => void deliveries.fetchNextPage()}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

const stateKinds = { pending: 'warn', done: 'good', dead: 'danger' } as const;
const stateWords = { pending: 'waiting', done: 'delivered', dead: 'given up' } as const;

interface DeliveryRowProps {
  readonly webhook: Webhook;
  readonly delivery: WebhookDelivery;
}

function DeliveryRow({ webhook, delivery }: DeliveryRowProps) {
  const { api, project } = useProject();
  const client = useQueryClient();
  const toast = useToast();
  const redeliver = useMutation({
    mutationFn: () => api.webhooks.redeliver(webhook.id, delivery.id),
    onSuccess() {
      toast('Queued again. It is tried at once.');
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'webhook-deliveries'] });
    },
    onError: (error) => toast(`It was not queued. ${errorText(error)}`, 'failed'),
  });
  return (
    <div className="row">
      <div className="card-title">
        <p className="row-title">
          <code>{delivery.event}</code>
          <Badge kind={stateKinds[delivery.state]}>{stateWords[delivery.state]}</Badge>
          {delivery.response_status !== null && <Badge>HTTP {delivery.response_status}</Badge>}
        </p>
        <p className="card-meta">
          <span>{counted(delivery.attempts, 'attempt')}</span>
          <Time at={delivery.created_at} as="relative" />
          {delivery.next_attempt_at !== null && (
            <span>
              next <Time at={delivery.next_attempt_at} as="relative" />
            </span>
          )}
        </p>
      </div>
      {delivery.state !== 'pending' && (
        <Button icon="refresh" busy={redeliver.isPending} onClick={() => redeliver.mutate()}>
          Redeliver
        </Button>
      )}
    </div>
  );
}
