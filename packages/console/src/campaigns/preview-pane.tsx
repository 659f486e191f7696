import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Campaign, Rendered } from '../api/campaigns.ts';
import { Select } from '../ui/select.tsx';
import { ActError } from './dry-run.tsx';
import { MailView } from './mail-view.tsx';
import { useProject } from './project.tsx';
import { campaignsKey } from './queries.ts';

interface PreviewProps {
  readonly campaign: Campaign;
  /** Changes when there is something new to see. */
  readonly version: number;
  readonly listIds: readonly string[];
}

/** What one person will see, rendered by the server from what is saved. */
export function PreviewPane({ campaign, version, listIds }: PreviewProps) {
  const { api, project } = useProject();
  const [subscriberId, setSubscriberId] = useState('');
  const [listId] = listIds;
  const people = useQuery({
    queryKey: [campaignsKey, project.id, 'preview-people', listId ?? ''],
    queryFn: ({ signal }) => api.subscribers.page(listId ?? '', { limit: 20 }, null, signal),
    enabled: listId !== undefined,
  });
  const preview = useQuery({
    queryKey: [campaignsKey, project.id, 'preview', campaign.id, subscriberId, version],
    queryFn: () => api.campaigns.preview(campaign.id, subscriberId || null),
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return (
    <section className="preview" aria-label="Preview">
      <div className="toolbar">
        <h2>Preview</h2>
        <Select
          bare
          label="Seen by"
          value={subscriberId}
          options={[
            { value: '', label: 'Somebody made up' },
            ...(people.data?.data ?? []).map(({ id, email, name }) => ({
              value: id,
              label: name ?? email ?? id,
            })),
          ]}
          onChange={setSubscriberId}
        />
      </div>
      <RenderedView rendered={preview.data} error={preview.error} />
    </section>
  );
}

interface RenderedViewProps {
  readonly rendered: Rendered | undefined;
  readonly error: unknown;
}

/** A rendered mail with what the renderer warned of; the last one that could be rendered stays below an error. */
export function RenderedView({ rendered, error }: RenderedViewProps) {
  return (
    <>
      {error != null && <ActError error={error} />}
      {rendered !== undefined && rendered.warnings.length > 0 && (
        <ul className="warnings">
          {rendered.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {rendered !== undefined && (
        <MailView
          subject={rendered.subject}
          html={rendered.html}
          text={rendered.text}
          headers={Object.entries(rendered.headers)}
        />
      )}
    </>
  );
}
