import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Campaign, CampaignFields } from '../api/campaigns.ts';
import { useProject } from './project.tsx';
import { campaignQuery } from './queries.ts';

/** Quiet time after the last key until a draft is saved. */
const IDLE_MILLISECONDS = 700;

export interface Draft {
  readonly fields: CampaignFields;
  readonly status: 'saved' | 'waiting' | 'saving' | 'failed';
  readonly error: unknown;
  /** Grows with each save, so that what shows the draft knows when to look again. */
  readonly version: number;
  set<Name extends keyof CampaignFields>(name: Name, value: CampaignFields[Name]): void;
  /** Saves what waits, at once; false when it could not be saved. */
  flush(): Promise<boolean>;
}

/** A draft that saves itself: only what was changed is sent, and what the server refuses stays to be mended. */
export function useDraft(campaign: Campaign): Draft {
  const room = useProject();
  const client = useQueryClient();
  const [fields, setFields] = useState<CampaignFields>(campaign);
  const [version, setVersion] = useState(0);
  const [isWaiting, setWaiting] = useState(false);
  const pending = useRef<Partial<CampaignFields>>({});
  const timer = useRef<number | undefined>(undefined);
  const save = useMutation({
    mutationFn: (changed: Partial<CampaignFields>) => room.api.campaigns.update(campaign.id, changed),
    // One after another, so that an older text never lands on a newer one.
    scope: { id: `draft ${campaign.id}` },
    onSuccess(saved) {
      setVersion((before) => before + 1);
      client.setQueryData(campaignQuery(room, campaign.id).queryKey, saved);
    },
  });
  const { mutateAsync } = save;

  const flush = useCallback(async () => {
    window.clearTimeout(timer.current);
    const changed = pending.current;
    setWaiting(false);
    if (Object.keys(changed).length === 0) return true;
    pending.current = {};
    try {
      await mutateAsync(changed);
      return true;
    } catch {
      // Sent again with the next change, unless that changes it.
      pending.current = { ...changed, ...pending.current };
      return false;
    }
  }, [mutateAsync]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (Object.keys(pending.current).length > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      void flush();
    };
  }, [flush]);

  return {
    fields,
    status: isWaiting ? 'waiting' : save.isPending ? 'saving' : save.isError ? 'failed' : 'saved',
    error: save.error,
    version,
    set(name, value) {
      setFields((before) => ({ ...before, [name]: value }));
      pending.current = { ...pending.current, [name]: value };
      setWaiting(true);
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void flush(), IDLE_MILLISECONDS);
    },
    flush,
  };
}
