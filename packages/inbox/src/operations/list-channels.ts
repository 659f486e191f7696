import * as z from 'zod';
import { channelSchema } from '../access/shapes.ts';
import { operation } from '../operation.ts';

export const listChannels = operation({
  name: 'list_channels',
  call: 'Call it to see the known channels, the one with the newest message first.',
  needs: 'Needs an admin key.',
  returns: 'Returns up to `limit` channels with their settings and figures.',
  http: { method: 'GET', path: '/channels' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ limit: z.int().min(1).max(1_000).default(200) }),
  output: z.strictObject({ channels: z.array(channelSchema) }),
  errors: [],
  handle: async (input, { inbox }) => ({ channels: await inbox.channels(input.limit) }),
});
