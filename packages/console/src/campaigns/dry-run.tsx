import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { Effect } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { useToast } from '../ui/toast.tsx';
import { campaignsKey } from './queries.ts';
import { obstaclesOf } from './violations.ts';

interface DryRunProps {
  readonly title: string;
  readonly action: string;
  readonly kind?: 'danger' | 'primary';
  /** What the button says that changes nothing. */
  readonly stay?: string;
  /** Asks for the same thing twice: first what it would do, then to do it. */
  readonly run: (dryRun: boolean) => Promise<Effect>;
  readonly onDone?: (effect: Effect) => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Before something that can't be undone: shows what the server says it would do, and only then offers it. */
export function DryRunDialog(props: DryRunProps) {
  const { title, action, kind = 'danger', stay = 'Cancel', run, onDone, onClose, children } = props;
  const client = useQueryClient();
  const toast = useToast();
  const id = useId();
  const dryRun = useQuery({
    queryKey: ['dry-run', id],
    queryFn: () => run(true),
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const act = useMutation({
    mutationFn: () => run(false),
    onSuccess(effect) {
      toast(effect.effect);
      onClose();
      onDone?.(effect);
      return client.invalidateQueries({ queryKey: [campaignsKey] });
    },
  });
  const isReady = dryRun.isSuccess && !dryRun.isFetching;
  return (
    <Dialog title={title} onClose={onClose}>
      {children != null && <div className="dialog-text">{children}</div>}
      <EffectOfDryRun query={dryRun} />
      {act.isError && <ActError error={act.error} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{stay}</Button>
        {isReady && (
          <Button kind={kind} busy={act.isPending} onClick={() => act.mutate()}>
            {action}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface EffectQuery {
  readonly data: Effect | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/** What a dry run found: its sentence, or everything that stands in the way. */
export function EffectOfDryRun({ query }: { readonly query: EffectQuery }) {
  if (query.isFetching) {
    return (
      <p className="effect effect-waiting" role="status">
        <span className="spinner" aria-hidden="true" /> Checking what this would do…
      </p>
    );
  }
  if (query.error != null) {
    return (
      <>
        <ActError error={query.error} />
        <Button kind="quiet" icon="refresh" onClick={() => query.refetch()}>
          Check again
        </Button>
      </>
    );
  }
  return (
    <p className="effect" role="status">
      {query.data?.effect}
    </p>
  );
}

/** An error of such a call, with each failing precondition on a line of its own. */
export function ActError({ error }: { readonly error: unknown }) {
  const obstacles = obstaclesOf(error);
  if (obstacles.length === 0) return <FormError text={errorText(error)} />;
  return (
    <ul className="obstacles" role="alert">
      {obstacles.map(({ title, detail, field }) => (
        <li key={`${title} ${field} ${detail}`}>
          <Icon name="warning" small />
          <div>
            <strong>{title}</strong>
            <p>{detail}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
