import { systemClock } from '@postern/kit';
import { bridgeClient } from '../bridge/client.ts';
import { notRun, type ToolBackend } from './backend.ts';

export function bridgeBackend(place: { readonly socketPath: string; readonly token: string }): ToolBackend {
  const client = bridgeClient({ ...place, clock: systemClock });
  return {
    async call(tool, input, signal, progress) {
      const outcome = await client.call(tool, input, signal, progress);
      return outcome.kind === 'answer' ? outcome.answer : notRun(tool, outcome.reason);
    },
    async close() {
      client.close();
    },
  };
}
