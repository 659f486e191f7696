import * as z from 'zod';
import { operation } from '../operation.ts';

export const listAgents = operation({
  name: 'list_agents',
  call: 'Call it to see which agents use the inbox and how far each has read.',
  needs: 'Needs an admin key.',
  returns: 'Returns every agent that has marked something read, with counts.',
  http: { method: 'GET', path: '/agents' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    agents: z.array(
      z.strictObject({
        agent_id: z.string(),
        first_seen_at: z.string(),
        last_read_at: z.string().nullable(),
        read_count: z.int(),
        unread_count: z.int(),
      }),
    ),
  }),
  errors: [],
  handle: async (_input, { inbox }) => ({ agents: await inbox.agents() }),
});
