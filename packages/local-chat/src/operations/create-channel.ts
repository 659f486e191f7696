import { answer } from '@postern/kit';
import * as z from 'zod';
import { defaultChatLimits } from '../limits.ts';
import { operation } from '../operation.ts';
import { channelName, channelShape, channelType, person } from '../shapes.ts';

export const createChannel = operation({
  name: 'create_local_channel',
  call: 'Call it to open a channel of the local chat, or to add members to one that is there.',
  needs: 'Needs an admin key; a channel whose name starts with dm- is a dm.',
  returns: 'Returns the channel, with status 200 and its own type when the name was taken already.',
  http: { method: 'POST', path: '/channels', status: 201 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    name: channelName,
    type: channelType,
    members: z.array(person).max(defaultChatLimits.membersPerRequest).optional(),
  }),
  output: channelShape,
  errors: ['validation_failed', 'precondition_failed'],
  async handle({ name, type, members = [] }, { chat }) {
    const { channel, created } = await chat.openChannel({ name, type, members });
    return created ? channel : answer(channel, {}, 200);
  },
});
