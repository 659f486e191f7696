import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { Suppression } from '../api/campaigns.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Loaded, LoadMore, Section } from '../ui/section.tsx';
import { Select } from '../ui/select.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { DryRunDialog } from './dry-run.tsx';
import { useProject } from './project.tsx';
import { suppressionsQuery } from './queries.ts';

const reasonOptions = [
  { value: '', label: 'Any reason' },
  { value: 'hard_bounce', label: 'bounced for good' },
  { value: 'complaint', label: 'complained' },
  { value: 'unsubscribe', label: 'wanted no mail at all' },
  { value: 'manual', label: 'put here by hand' },
  { value: 'erased', label: 'erased' },
];

const ADDRESS = /^\S+@\S+\.\S+$/;

export function SuppressionsSection() {
  const room = useProject();
  const [reason, setReason] = useState('');
  const [text, setText] = useState('');
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Suppression | null>(null);
  const sought = useDeferredValue(text.trim());
  const filter = {
    ...(reason !== '' && { reason }),
    ...(ADDRESS.test(sought) && { email: sought }),
  };
  const suppressions = useInfiniteQuery(suppressionsQuery(room, filter));
  return (
    <Section
      title="Suppressions"
      intro="Addresses this project never mails, whatever list they are on."
      action={
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          Suppress an address
        </Button>
      }
    >
      <div className="toolbar">
        <label className="search-box">
          <span className="visually-hidden">Look up an address</span>
          <Icon name="search" small />
          <input
            type="search"
            className="input"
            placeholder="Look up a whole address"
            value={text}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <Select bare label="Reason" value={reason} options={reasonOptions} onChange={setReason} />
      </div>
      <Loaded query={suppressions} what="the suppressions" shape="list">
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.data);
          if (rows.length === 0) {
            return sought === '' && reason === '' ? (
              <Empty icon="block" title="Nobody is suppressed">
                <p>Who bounces for good, complains or wants no mail at all comes here by itself.</p>
              </Empty>
            ) : (
              <p className="section-none" role="status">
                None.
              </p>
            );
          }
          return (
            <>
              <div className="table-frame">
                <table className="table">
                  <thead>
                    <tr>
                      <th scope="col">Address</th>
                      <th scope="col">Reason</th>
                      <th scope="col" className="wide-only">
                        Since
                      </th>
                      <th scope="col">
                        <span className="visually-hidden">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.id}>
                        <th scope="row" className="breakable">
                          {row.email ?? 'erased'}
                        </th>
                        <td>
                          <Badge kind={row.reason === 'complaint' ? 'danger' : 'plain'}>
                            {reasonOptions.find(({ value }) => value === row.reason)?.label}
                          </Badge>{' '}
                          {row.note !== null && <span className="card-meta">{row.note}</span>}
                        </td>
                        <td className="wide-only">
                          <Time at={row.created_at} as="list" />
                        </td>
                        <td className="row-actions">
                          <IconButton
                            icon="trash"
                            label={`Remove ${row.email ?? 'the erased address'}`}
                            onClick={() => setRemoving(row)}
                          />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {suppressions.hasNextPage && (
                <LoadMore
                  busy={suppressions.isFetchingNextPage}
                  onLoad={() => void suppressions.fetchNextPage()}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {adding && <AddSuppression onClose={() => setAdding(false)} />}
      {removing !== null && (
        <DryRunDialog
          title={`Mail ${removing.email ?? 'the erased address'} again?`}
          action="Remove the suppression"
          run={(dryRun) => room.api.suppressions.remove(removing.id, dryRun)}
          onClose={() => setRemoving(null)}
        />
      )}
    </Section>
  );
}

function AddSuppression({ onClose }: { readonly onClose: () => void }) {
  const { api } = useProject();
  const [email, setEmail] = useState('');
  const [note, setNote] = useState('');
  const [isAsked, setAsked] = useState(false);
  if (isAsked) {
    return (
      <DryRunDialog
        title={`Never mail ${email.trim()}?`}
        action="Suppress it"
        run={(dryRun) =>
          api.suppressions.add(
            { email: email.trim(), ...(note.trim() !== '' && { note: note.trim() }) },
            dryRun,
          )
        }
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Suppress an address" onClose={onClose}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
        }}
      >
        <Field
          label="E-mail address"
          type="email"
          value={email}
          data-starts-here
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label="Note (optional)"
          value={note}
          hint="Why, for whoever asks later."
          onChange={(event) => setNote(event.target.value)}
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Go on
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
