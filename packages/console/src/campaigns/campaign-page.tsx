import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Campaign } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { paths } from '../router.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { RoomHead } from '../ui/room-head.tsx';
import { Loaded } from '../ui/section.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { useDuplicate } from './draft-actions.tsx';
import { DryRunDialog } from './dry-run.tsx';
import { Editor } from './editor.tsx';
import { useProject } from './project.tsx';
import { campaignQuery, campaignsKey } from './queries.ts';
import { ReportView } from './report.tsx';
import { CampaignStateBadge } from './words.tsx';

/** One campaign: written while it is a draft, watched from its launch on. */
export function CampaignPage({ campaignId }: { readonly campaignId: string }) {
  const room = useProject();
  const campaign = useQuery(campaignQuery(room, campaignId));
  return (
    <div className="section section-wide">
      <Loaded query={campaign} what="the campaign">
        {(data) =>
          data.state === 'draft' ? (
            <Editor key={data.id} campaign={data} />
          ) : (
            <>
              <RunHead campaign={data} />
              {data.state === 'scheduled' ? <Scheduled campaign={data} /> : null}
              <ReportView campaign={data} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Scheduled({ campaign }: { readonly campaign: Campaign }) {
  if (campaign.send_at === null) return null;
  return (
    <p className="effect">
      Goes <Time at={campaign.send_at} as="relative" />, at {new Date(campaign.send_at).toLocaleString()}. Who
      gets it is decided then. To change it, take it back to draft.
    </p>
  );
}

type Open = 'resume' | 'cancel' | 'unschedule' | null;

function RunHead({ campaign }: { readonly campaign: Campaign }) {
  const { api, project } = useProject();
  const [open, setOpen] = useState<Open>(null);
  const client = useQueryClient();
  const toast = useToast();
  const refresh = () => client.invalidateQueries({ queryKey: [campaignsKey, project.id] });
  const pause = useMutation({
    mutationFn: () => api.campaigns.pause(campaign.id),
    onSuccess: refresh,
    onError: (error) => toast(`It was not paused. ${errorText(error)}`, 'failed'),
  });
  const duplicate = useDuplicate(campaign);
  const unschedule = useMutation({
    // Any edit takes a scheduled campaign back to draft, one that changes nothing too.
    mutationFn: () => api.campaigns.update(campaign.id, { name: campaign.name }),
    onSuccess() {
      setOpen(null);
      return refresh();
    },
  });
  const canCancel = ['scheduled', 'running', 'paused'].includes(campaign.state);
  return (
    <RoomHead
      back={paths.campaigns(project.id, 'campaigns')}
      backLabel="All campaigns"
      title={campaign.name}
      badge={<CampaignStateBadge state={campaign.state} />}
      meta={campaign.subject}
    >
      {campaign.state === 'scheduled' && (
        <Button icon="pencil" onClick={() => setOpen('unschedule')}>
          Back to draft
        </Button>
      )}
      {campaign.state === 'running' && (
        <Button icon="pause" busy={pause.isPending} onClick={() => pause.mutate()}>
          Pause
        </Button>
      )}
      {campaign.state === 'paused' && (
        <Button kind="primary" icon="play" onClick={() => setOpen('resume')}>
          Resume
        </Button>
      )}
      {canCancel && (
        <Button icon="stop" onClick={() => setOpen('cancel')}>
          Cancel
        </Button>
      )}
      <Button icon="copy" busy={duplicate.isPending} onClick={() => duplicate.mutate()}>
        Duplicate
      </Button>
      {open === 'resume' && (
        <DryRunDialog
          title={`Resume ${campaign.name}?`}
          action="Resume"
          kind="primary"
          run={(dryRun) => api.campaigns.launch(campaign.id, dryRun)}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'cancel' && (
        <DryRunDialog
          title={`Cancel ${campaign.name}?`}
          action="Cancel it for good"
          stay="Keep it"
          run={(dryRun) => api.campaigns.cancel(campaign.id, dryRun)}
          onClose={() => setOpen(null)}
        />
      )}
      {open === 'unschedule' && (
        <ConfirmDialog
          title="Take it back to draft?"
          action="Back to draft"
          kind="primary"
          busy={unschedule.isPending}
          error={unschedule.isError ? errorText(unschedule.error) : null}
          onConfirm={() => unschedule.mutate()}
          onClose={() => setOpen(null)}
        >
          <p>It is not sent at its time any more, until you launch it again.</p>
        </ConfirmDialog>
      )}
    </RoomHead>
  );
}
