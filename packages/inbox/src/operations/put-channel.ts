import * as z from 'zod';
import { channelSchema } from '../access/shapes.ts';
import { channelIdSchema } from '../envelope.ts';
import { operation } from '../operation.ts';

export const putChannel = operation({
  name: 'put_channel',
  call: 'Call it to make a channel known before anybody has written there, or to change its settings.',
  needs: 'Needs an admin key.',
  returns: 'Returns the channel.',
  http: { method: 'PUT', path: '/channels/:channel_id' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    channel_id: channelIdSchema,
    allow_mass_mentions: z.boolean().optional().describe('Whether @everyone and the like ring for all'),
  }),
  output: channelSchema,
  errors: [],
  handle: (input, { inbox, caller }) =>
    inbox.putChannel({
      channelId: input.channel_id,
      allowMassMentions: input.allow_mass_mentions,
      actor: caller.credential,
    }),
});
