import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../api/http.ts';
import { type Delivery, type DeliveryState, inboxApi } from '../api/inbox.ts';
import { counted } from '../lib/names.ts';
import { Link, paths } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Loaded, LoadMore, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { deliveriesQuery } from './queries.ts';

const states: readonly { readonly state: DeliveryState; readonly label: string }[] = [
  { state: 'dead', label: 'Dead' },
  { state: 'pending', label: 'Waiting' },
  { state: 'done', label: 'Delivered' },
];

export function WebhooksSection() {
  const [state, setState] = useState<DeliveryState>('dead');
  const deliveries = useInfiniteQuery(deliveriesQuery(state));
  return (
    <Section
      title="Webhooks"
      intro="Each message is pushed to the addresses in postern.yaml. What was refused, or failed for too long, is dead until you replay it."
    >
      <fieldset className="segmented">
        <legend className="visually-hidden">Which deliveries</legend>
        {states.map((option) => (
          <button
            key={option.state}
            type="button"
            aria-pressed={option.state === state}
            onClick={() => setState(option.state)}
          >
            {option.label}
          </button>
        ))}
      </fieldset>
      <Loaded query={deliveries} what="the deliveries">
        {({ pages }) => {
          const list = pages.flatMap((page) => page.deliveries);
          if (list.length === 0) return <NoDeliveries state={state} />;
          return (
            <>
              {state === 'dead' && list.length > 1 && <ReplayAll deliveries={list} />}
              <ul className="cards">
                {list.map((delivery) => (
                  <li key={delivery.id}>
                    <DeliveryCard delivery={delivery} />
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
    </Section>
  );
}

function NoDeliveries({ state }: { readonly state: DeliveryState }) {
  if (state === 'dead') {
    return (
      <Empty icon="check" title="No dead deliveries">
        <p>Everything that was to be pushed has arrived or is still being tried.</p>
      </Empty>
    );
  }
  if (state === 'pending') {
    return (
      <Empty icon="check" title="Nothing is waiting">
        <p>Deliveries stand here while they are tried again, for up to about an hour and a half.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="pulse" title="Nothing delivered yet">
      <p>
        Add an address under <code>inbox.webhooks</code> in <code>postern.yaml</code> to have messages pushed
        to it.
      </p>
    </Empty>
  );
}

/** Replays what is shown; a receiver that was away for a while has missed more than one. */
function ReplayAll({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const client = useQueryClient();
  const toast = useToast();
  const replay = useMutation({
    async mutationFn() {
      // The oldest was made first, and is to arrive first.
      for (const { id } of deliveries.toReversed()) await inboxApi.replay(id);
    },
    onSuccess: () => toast(`${counted(deliveries.length, 'delivery', 'deliveries')} queued again.`),
    onError: (error) => toast(`Not all were queued. ${errorText(error)}`, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: ['inbox', 'deliveries'] }),
  });
  return (
    <p>
      <Button icon="refresh" busy={replay.isPending} onClick={() => replay.mutate()}>
        Replay all {deliveries.length}
      </Button>
    </p>
  );
}

function DeliveryCard({ delivery }: { readonly delivery: Delivery }) {
  const client = useQueryClient();
  const toast = useToast();
  const replay = useMutation({
    mutationFn: () => inboxApi.replay(delivery.id),
    onSuccess() {
      toast('Queued again. It is tried at once.');
      return client.invalidateQueries({ queryKey: ['inbox', 'deliveries'] });
    },
    onError: (error) => toast(`It was not queued. ${errorText(error)}`, 'failed'),
  });
  return (
    <article
      className="card card-row"
      aria-label={`${delivery.event} from ${delivery.sender} to ${delivery.url}`}
    >
      <div className="card-title">
        <h2 className="delivery-title">
          <code>{delivery.event}</code>
          {delivery.response_status !== null && (
            <Badge kind={delivery.state === 'done' ? 'good' : 'danger'}>
              HTTP {delivery.response_status}
            </Badge>
          )}
          {delivery.state === 'pending' && <Badge kind="warn">waiting</Badge>}
        </h2>
        <p className="breakable">
          from <bdi>{delivery.sender}</bdi> in{' '}
          <Link to={paths.inbox('conversations', delivery.channel_id)}>
            <code>{delivery.channel_id}</code>
          </Link>
        </p>
        <p className="delivery-url breakable">{delivery.url}</p>
        {delivery.last_error !== null && <p className="delivery-error">{delivery.last_error}</p>}
        <p className="card-meta">
          <span>{counted(delivery.attempts, 'attempt')}</span>
          <span>
            made <Time at={delivery.created_at} as="relative" />
          </span>
          {delivery.next_attempt_at !== null && (
            <span>
              next <Time at={delivery.next_attempt_at} as="relative" />
            </span>
          )}
        </p>
      </div>
      {delivery.state === 'dead' && (
        <Button icon="refresh" busy={replay.isPending} onClick={() => replay.mutate()}>
          Replay
        </Button>
      )}
    </article>
  );
}
