import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Condition, Segment } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog, FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { RoomHead } from '../ui/room-head.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { asGroup, groupOf, isComplete, newTest } from './condition.ts';
import { GroupEditor } from './condition-editor.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, segmentsQuery } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';

/** What stands in the address for a segment that is being made. */
const NEW = 'new';

export function SegmentsSection() {
  const room = useProject();
  const segments = useQuery(segmentsQuery(room));
  const create = (
    <Link to={paths.campaigns(room.project.id, 'segments', NEW)} className="button button-primary">
      New segment
    </Link>
  );
  return (
    <Section
      title="Segments"
      intro="People by what is known of them. A campaign with a segment goes to those of its lists whom it matches."
      action={segments.data !== undefined && segments.data.length > 0 && create}
    >
      <Loaded query={segments} what="the segments">
        {(all) =>
          all.length === 0 ? (
            <Empty icon="filter" title="No segments yet" action={create}>
              <p>
                “Lives in Lisbon”, “joined this month”, “opened the last campaign”: say it once, use it often.
              </p>
            </Empty>
          ) : (
            <ul className="cards">
              {all.map((segment) => (
                <li key={segment.id}>
                  <article className="card card-row" aria-label={segment.name}>
                    <div className="card-title">
                      <h2>
                        <Link to={paths.campaigns(room.project.id, 'segments', segment.id)}>
                          <bdi>{segment.name}</bdi>
                        </Link>
                      </h2>
                      <p className="card-meta">
                        <span>
                          changed <Time at={segment.updated_at} as="relative" />
                        </span>
                      </p>
                    </div>
                    <p className="list-total">
                      <SegmentCount condition={segment.condition} />
                    </p>
                  </article>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

const COUNT_DELAY_MILLISECONDS = 400;

/** How many people match, asked anew when the condition rests for a moment. */
function SegmentCount({ condition }: { readonly condition: Condition }) {
  const { api, project } = useProject();
  const [settled, setSettled] = useState(condition);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(condition), COUNT_DELAY_MILLISECONDS);
    return () => window.clearTimeout(timer);
  }, [condition]);
  const count = useQuery({
    queryKey: [campaignsKey, project.id, 'count', settled],
    queryFn: () => api.segments.count({ condition: settled }),
    enabled: isComplete(settled),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 5_000,
  });
  if (!isComplete(condition)) return <span className="section-none">not complete yet</span>;
  if (count.isError) return <span className="field-error">{errorText(count.error)}</span>;
  if (count.data === undefined) return <span className="section-none">counting…</span>;
  return (
    <span data-busy={count.isFetching || settled !== condition || undefined} className="live-count">
      <strong>{count.data.count.toLocaleString()}</strong> {count.data.count === 1 ? 'person' : 'people'}
    </span>
  );
}

export function SegmentPage({ segmentId }: { readonly segmentId: string }) {
  const room = useProject();
  const isNew = segmentId === NEW;
  const segment = useQuery({
    queryKey: [campaignsKey, room.project.id, 'segment', segmentId],
    queryFn: ({ signal }) => room.api.segments.get(segmentId, signal),
    enabled: !isNew,
  });
  return (
    <div className="section section-wide">
      {isNew ? (
        <SegmentForm segment={null} />
      ) : (
        <Loaded query={segment} what="the segment">
          {(data) => <SegmentForm key={data.id} segment={data} />}
        </Loaded>
      )}
    </div>
  );
}

function SegmentForm({ segment }: { readonly segment: Segment | null }) {
  const { api, project } = useProject();
  const [name, setName] = useState(segment?.name ?? '');
  const [group, setGroup] = useState(asGroup(segment?.condition ?? groupOf('all', [newTest])));
  const [isDeleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const refresh = () => client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
  const save = useMutation({
    mutationFn: () => {
      const fields = { name: name.trim(), condition: group };
      return segment === null ? api.segments.create(fields) : api.segments.update(segment.id, fields);
    },
    onSuccess(saved) {
      toast('Saved.');
      if (segment === null) navigate(paths.campaigns(project.id, 'segments', saved.id), { replace: true });
      return refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => api.segments.remove(segment?.id ?? ''),
    onSuccess() {
      navigate(paths.campaigns(project.id, 'segments'));
      return refresh();
    },
  });
  const fault = errorAt(save.error, 'condition');
  const rest = errorBeside(save.error, ['name', 'condition']);
  return (
    <>
      <RoomHead
        back={paths.campaigns(project.id, 'segments')}
        backLabel="All segments"
        title={segment?.name ?? 'New segment'}
      >
        {segment !== null && (
          <IconButton
            icon="trash"
            label={`Delete ${segment.name}`}
            className="icon-button-danger"
            onClick={() => setDeleting(true)}
          />
        )}
        <Button kind="primary" busy={save.isPending} onClick={() => save.mutate()}>
          Save
        </Button>
      </RoomHead>
      <div className="form">
        <Field
          label="Name"
          value={name}
          error={errorAt(save.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <GroupEditor group={group} onChange={setGroup} onRemove={null} />
        <p className="field-hint">
          Names and attributes are compared with their capitals, addresses without.
        </p>
        {fault !== null && <FormError text={fault} />}
        {rest !== null && <FormError text={rest} />}
        <p role="status" className="segment-count">
          Matches now: <SegmentCount condition={group} />
        </p>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${segment?.name}?`}
          action="Delete the segment"
          busy={remove.isPending}
          error={remove.isError ? errorText(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          <p>Nobody leaves a list by it. Drafts that use it can’t be launched until they name another.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
