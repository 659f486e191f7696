import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Campaign } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { navigate, paths } from '../router.tsx';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';
import { useProject } from './project.tsx';
import { campaignsKey } from './queries.ts';

/** Makes a draft like it, and goes there. */
export function useDuplicate(campaign: Campaign) {
  const { api, project } = useProject();
  const toast = useToast();
  return useMutation({
    mutationFn: () => api.campaigns.duplicate(campaign.id),
    onSuccess(copy) {
      toast('A copy, to change and launch by itself.');
      navigate(paths.campaigns(project.id, 'campaigns', copy.id));
    },
    onError: (error) => toast(`It was not copied. ${errorText(error)}`, 'failed'),
  });
}

/** What can be done with a draft besides writing it. */
export function DraftActions({ campaign }: { readonly campaign: Campaign }) {
  const { api, project } = useProject();
  const [isDeleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const duplicate = useDuplicate(campaign);
  const remove = useMutation({
    mutationFn: () => api.campaigns.remove(campaign.id),
    onSuccess() {
      toast('The draft is deleted.');
      navigate(paths.campaigns(project.id, 'campaigns'));
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'campaigns'] });
    },
  });
  return (
    <>
      <IconButton icon="copy" label="Duplicate the draft" onClick={() => duplicate.mutate()} />
      <IconButton
        icon="trash"
        label="Delete the draft"
        className="icon-button-danger"
        onClick={() => setDeleting(true)}
      />
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${campaign.name}?`}
          action="Delete the draft"
          busy={remove.isPending}
          error={remove.isError ? errorText(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          <p>What was written goes with it. Nothing was sent.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
