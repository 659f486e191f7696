import * as z from 'zod';
import { tokenSchema } from '../access/shapes.ts';
import { operation } from '../operation.ts';

export const listAgentTokens = operation({
  name: 'list_agent_tokens',
  call: 'Call it to see which agents hold tokens of their own.',
  needs: 'Needs an admin key.',
  returns: 'Returns every token without its secret.',
  http: { method: 'GET', path: '/agents/tokens' },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({ tokens: z.array(tokenSchema) }),
  errors: [],
  handle: async (_input, { inbox }) => ({ tokens: await inbox.tokens() }),
});
