import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { openEventStream } from '../api/event-stream.ts';
import { threadsApi } from '../api/threads.ts';
import { threadsKey } from './queries.ts';

/** Asks anew for what the server says has changed, for as long as the page is up. */
export function useThreadEvents(isOn: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOn) return;
    const look = () => void client.invalidateQueries({ queryKey: [threadsKey] });
    return openEventStream({
      url: threadsApi.eventsUrl,
      onEvent: look,
      // What changed while the line was down was told to nobody.
      onStatus: (status) => status === 'live' && look(),
    });
  }, [client, isOn]);
}
