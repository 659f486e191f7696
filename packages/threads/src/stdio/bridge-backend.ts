import { systemClock } from '@postern/kit';
import { bridgeClient } from '../bridge/client.ts';
import { notRun, type ToolBackend } from './backend.ts';

export function bridgeBackend(place: { readonly socketPath: string; readonly token: string }): ToolBackend {
  const client = bridgeClient({ ...place, clock: systemClock });
  return {
    async call(tool, input, signal, progress) {
      const outcome = await client.call(tool, input, signal, progress);
      if (outcome.kind === 'failed') return notRun(tool, outcome.reason);
      const { answer } = outcome;
      // The bot refuses the calls of a session that has ended alike, whatever tool it is.
      return answer.ok === false ? notRun(tool, String(answer.reason)) : answer;
    },
    async close() {
      client.close();
    },
  };
}
