import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Campaign, Sender } from '../api/campaigns.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';
import { ActError, EffectOfDryRun } from './dry-run.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, listsQuery } from './queries.ts';

interface LaunchProps {
  readonly campaign: Campaign;
  readonly onClose: () => void;
}

function senderText({ name, email }: Sender): string {
  return name === null || name === '' ? email : `${name} <${email}>`;
}

/** The last look before mails leave: who gets it, who doesn't and why, and everything that is not ready. */
export function LaunchDialog({ campaign, onClose }: LaunchProps) {
  const room = useProject();
  const { api, project } = room;
  const lists = useQuery(listsQuery(room)).data ?? [];
  const client = useQueryClient();
  const toast = useToast();
  const dryRun = useQuery({
    queryKey: ['dry-run', 'launch', campaign.id],
    queryFn: () => api.campaigns.launch(campaign.id, true),
    retry: false,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const launch = useMutation({
    mutationFn: () => api.campaigns.launch(campaign.id, false),
    onSuccess(answer) {
      toast(answer.effect, answer.outcome === 'failed' ? 'failed' : 'done');
      onClose();
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
    },
  });
  const chosen = campaign.list_ids.flatMap((listId) => lists.find(({ id }) => id === listId) ?? []);
  const named = chosen.map(({ name }) => name);
  const sender = campaign.from ?? chosen.find(({ from }) => from !== null)?.from ?? null;
  const isReady = dryRun.isSuccess && !dryRun.isFetching;
  return (
    <Dialog title={`Launch ${campaign.name}?`} onClose={onClose}>
      <dl className="facts">
        <dt>Lists</dt>
        <dd>{named.join(', ') || 'none'}</dd>
        <dt>From</dt>
        <dd className="breakable">{sender === null ? 'nobody yet' : senderText(sender)}</dd>
        <dt>Subject</dt>
        <dd>{campaign.subject ?? (campaign.template_id === null ? 'none yet' : 'the template’s')}</dd>
        <dt>When</dt>
        <dd>{campaign.send_at === null ? 'at once' : new Date(campaign.send_at).toLocaleString()}</dd>
      </dl>
      <EffectOfDryRun query={dryRun} />
      {launch.isError && <ActError error={launch.error} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>Not yet</Button>
        {isReady && (
          <Button kind="primary" icon="send" busy={launch.isPending} onClick={() => launch.mutate()}>
            {campaign.send_at === null ? 'Launch now' : 'Schedule'}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
