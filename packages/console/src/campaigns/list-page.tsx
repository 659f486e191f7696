import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { type MailList, type Subscriber, subscriberStatuses } from '../api/campaigns.ts';
import { ApiError } from '../api/http.ts';
import { navigate, paths } from '../router.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icons.tsx';
import { RoomHead } from '../ui/room-head.tsx';
import { Loaded, LoadMore } from '../ui/section.tsx';
import { Select } from '../ui/select.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { DryRunDialog } from './dry-run.tsx';
import { Growth } from './growth.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ListDialog, statusParts } from './lists.tsx';
import { useProject } from './project.tsx';
import { listQuery, subscribersQuery } from './queries.ts';
import { ShareBar } from './share-bar.tsx';
import { AddSubscriberDialog, SubscriberDialog } from './subscriber-dialog.tsx';
import { StatusBadge } from './words.tsx';

type Open = 'add' | 'import' | 'edit' | 'delete' | null;

interface ListPageProps {
  readonly listId: string;
  readonly publicUrl: string;
}

/** One list: its numbers, and its people. */
export function ListPage({ listId, publicUrl }: ListPageProps) {
  const room = useProject();
  const list = useQuery(listQuery(room, listId));
  const [open, setOpen] = useState<Open>(null);
  const [chosen, setChosen] = useState<Subscriber | null>(null);
  const close = () => setOpen(null);
  return (
    <div className="section section-wide">
      <Loaded query={list} what="the list">
        {(data) => (
          <>
            <RoomHead
              back={paths.campaigns(room.project.id, 'lists')}
              backLabel="All lists"
              title={data.name}
              meta={data.description}
            >
              <Button icon="plus" onClick={() => setOpen('add')}>
                Add
              </Button>
              <Button kind="primary" icon="upload" onClick={() => setOpen('import')}>
                Import
              </Button>
              <IconButton icon="pencil" label={`Edit ${data.name}`} onClick={() => setOpen('edit')} />
              <IconButton
                icon="trash"
                label={`Delete ${data.name}`}
                className="icon-button-danger"
                onClick={() => setOpen('delete')}
              />
            </RoomHead>
            <div className="panels">
              <section className="panel" aria-label="By status">
                <h2>By status</h2>
                <ShareBar label="Subscribers by status" parts={statusParts(data)} />
              </section>
              <Growth list={data} />
            </div>
            {data.public && <Archive address={`${publicUrl.replace(/\/+$/, '')}/p/archive/${data.id}`} />}
            <People list={data} onAdd={() => setOpen('add')} onChoose={setChosen} />
            {open === 'add' && <AddSubscriberDialog list={data} onClose={close} />}
            {open === 'import' && <ImportDialog list={data} onClose={close} />}
            {open === 'edit' && <ListDialog list={data} onClose={close} />}
            {open === 'delete' && (
              <DryRunDialog
                title={`Delete ${data.name}?`}
                action="Delete the list"
                run={(dryRun) => room.api.lists.remove(data.id, dryRun)}
                onDone={() => navigate(paths.campaigns(room.project.id, 'lists'))}
                onClose={close}
              />
            )}
            {chosen !== null && (
              <SubscriberDialog subscriber={chosen} list={data} onClose={() => setChosen(null)} />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Where everybody can read what was sent to a public list. */
function Archive({ address }: { readonly address: string }) {
  return (
    <section className="panel archive-address" aria-label="Archive">
      <h2>Archive</h2>
      <p className="breakable">
        <a href={address} target="_blank" rel="noreferrer">
          {address}
        </a>
      </p>
      <CopyButton text={address} label="Copy the address" />
    </section>
  );
}

interface PeopleProps {
  readonly list: MailList;
  readonly onAdd: () => void;
  readonly onChoose: (subscriber: Subscriber) => void;
}

const statusOptions = [
  { value: '', label: 'Any status' },
  ...[...subscriberStatuses, 'erased'].map((status) => ({ value: status, label: status })),
];

function People({ list, onAdd, onChoose }: PeopleProps) {
  const room = useProject();
  const [text, setText] = useState('');
  const [status, setStatus] = useState('');
  const sought = useDeferredValue(text.trim());
  const isAddress = /^\S+@\S+\.\S+$/.test(sought);
  const filter = {
    ...(status !== '' && { status }),
    ...(sought !== '' && { search: sought }),
  };
  const people = useInfiniteQuery(subscribersQuery(room, list.id, filter));
  // A whole address is looked up by itself: quick on the largest list, and in any spelling.
  const exact = useQuery({
    queryKey: ['campaigns', room.project.id, 'find', list.id, sought],
    queryFn: ({ signal }) => find(() => room.api.subscribers.find(list.id, sought, signal)),
    enabled: isAddress,
    staleTime: 0,
  });
  return (
    <section aria-label="People" className="people">
      <div className="toolbar">
        <label className="search-box">
          <span className="visually-hidden">Find by address or name</span>
          <Icon name="search" small />
          <input
            type="search"
            className="input"
            placeholder="Find by address or name"
            value={text}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <Select bare label="Status" value={status} options={statusOptions} onChange={setStatus} />
      </div>
      <Loaded query={people} what="the people" shape="list">
        {({ pages }) => {
          const listed = pages.flatMap((page) => page.data);
          const found = isAddress ? (exact.data ?? null) : null;
          const rows =
            found !== null && !listed.some(({ id }) => id === found.id) ? [found, ...listed] : listed;
          if (rows.length === 0) {
            return sought === '' && status === '' ? (
              <Empty
                icon="users"
                title="Nobody is on this list yet"
                action={
                  <Button icon="plus" onClick={onAdd}>
                    Add one person
                  </Button>
                }
              >
                <p>Import a file, paste addresses, or add people one by one.</p>
              </Empty>
            ) : (
              <p className="section-none" role="status">
                Nobody here matches.
              </p>
            );
          }
          return (
            <>
              <PeopleTable rows={rows} onChoose={onChoose} />
              {people.hasNextPage && (
                <LoadMore busy={people.isFetchingNextPage} onLoad={() => void people.fetchNextPage()} />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

async function find(ask: () => Promise<Subscriber>): Promise<Subscriber | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return null;
    throw error;
  }
}

interface PeopleTableProps {
  readonly rows: readonly Subscriber[];
  readonly onChoose: (subscriber: Subscriber) => void;
}

function PeopleTable({ rows, onChoose }: PeopleTableProps) {
  return (
    <div className="table-frame">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col" className="wide-only">
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <button type="button" className="row-link" onClick={() => onChoose(row)}>
                  {row.email ?? 'erased'}
                </button>
              </th>
              <td>
                <bdi>{row.name ?? '—'}</bdi>
              </td>
              <td>
                <StatusBadge status={row.status} />
              </td>
              <td className="wide-only">
                <Time at={row.created_at} as="list" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
