import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Campaign } from '../api/campaigns.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Check, Field } from '../ui/field.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { ProgressBar } from './progress.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, campaignsQuery, listsQuery } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';
import { CampaignStateBadge } from './words.tsx';

export function CampaignsSectionPage() {
  const room = useProject();
  const campaigns = useQuery(campaignsQuery(room));
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New campaign
    </Button>
  );
  return (
    <Section
      title="Campaigns"
      intro="One mail to the people of one or more lists. Nothing is sent before you launch it."
      action={campaigns.data !== undefined && campaigns.data.length > 0 && create}
    >
      <Loaded query={campaigns} what="the campaigns">
        {(all) =>
          all.length === 0 ? (
            <Empty icon="megaphone" title="No campaigns yet" action={create}>
              <p>
                Begin with a <Link to={paths.campaigns(room.project.id, 'lists')}>list of people</Link>, then
                write to them here.
              </p>
            </Empty>
          ) : (
            <ul className="cards">
              {all.toReversed().map((campaign) => (
                <li key={campaign.id}>
                  <CampaignCard campaign={campaign} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </Section>
  );
}

function CampaignCard({ campaign }: { readonly campaign: Campaign }) {
  const { project } = useProject();
  return (
    <article className="card list-card" aria-label={campaign.name}>
      <div className="card-head">
        <div className="card-title">
          <h2>
            <Link to={paths.campaigns(project.id, 'campaigns', campaign.id)}>
              <bdi>{campaign.name}</bdi>
            </Link>
            <CampaignStateBadge state={campaign.state} />
          </h2>
          <p className="card-meta">
            <SubjectOf campaign={campaign} />
            <When campaign={campaign} />
          </p>
        </div>
      </div>
      {campaign.counts.audience > 0 && <ProgressBar counts={campaign.counts} />}
    </article>
  );
}

function SubjectOf({ campaign: { subject, template_id } }: { readonly campaign: Campaign }) {
  return <span>{subject ?? (template_id === null ? 'no subject yet' : 'subject of its template')}</span>;
}

function When({ campaign }: { readonly campaign: Campaign }) {
  const [word, at] =
    campaign.finished_at !== null
      ? ['ended', campaign.finished_at]
      : campaign.launched_at !== null
        ? ['launched', campaign.launched_at]
        : campaign.state === 'scheduled' && campaign.send_at !== null
          ? ['goes', campaign.send_at]
          : ['changed', campaign.updated_at];
  return (
    <span>
      {word} <Time at={at} as="relative" />
    </span>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const room = useProject();
  const { api, project } = room;
  const lists = useQuery(listsQuery(room)).data ?? [];
  const [name, setName] = useState('');
  const [listIds, setListIds] = useState<readonly string[]>([]);
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => api.campaigns.create({ name: name.trim(), list_ids: listIds }),
    async onSuccess(campaign) {
      await client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'campaigns'] });
      onClose();
      navigate(paths.campaigns(project.id, 'campaigns', campaign.id));
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate();
  }

  const rest = errorBeside(create.error, ['name']);
  return (
    <Dialog title="New campaign" onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          value={name}
          data-starts-here
          hint="For you; recipients see the subject."
          error={errorAt(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        {lists.length > 0 && (
          <fieldset className="choice">
            <legend>To</legend>
            {lists.map((list) => (
              <Check
                key={list.id}
                label={list.name}
                hint={`${list.counts.subscribed.toLocaleString()} subscribed`}
                checked={listIds.includes(list.id)}
                onChange={(on) =>
                  setListIds(on ? [...listIds, list.id] : listIds.filter((id) => id !== list.id))
                }
              />
            ))}
          </fieldset>
        )}
        {rest !== null && <FormError text={rest} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
