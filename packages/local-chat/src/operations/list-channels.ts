import * as z from 'zod';
import { operation } from '../operation.ts';
import { channelShape } from '../shapes.ts';

export const listChannels = operation({
  name: 'list_local_channels',
  call: 'Call it to see the channels of the local chat.',
  needs: 'Needs an admin key.',
  returns: 'Returns all channels in the order they were made, each with its members.',
  http: { method: 'GET', path: '/channels' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.object({ data: z.array(channelShape) }),
  errors: [],
  async handle(_input, { chat }) {
    return { data: await chat.channels() };
  },
});
