import * as z from 'zod';
import { channelIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const showTyping = operation({
  name: 'show_typing',
  call: 'Call it while you prepare an answer, so that people see that somebody types.',
  needs: 'Needs a known channel; where the platform cannot show typing nothing happens.',
  returns: 'Returns nothing.',
  http: { method: 'POST', path: '/typing', status: 204 },
  rights: { scope: 'send', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  input: z.strictObject({ channel_id: channelIdSchema }),
  output: z.null(),
  errors: ['CHANNEL_NOT_FOUND'],
  async handle(input, { inbox, signal }) {
    await inbox.showTyping(input.channel_id, signal);
    return null;
  },
});
