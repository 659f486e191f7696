import * as z from 'zod';
import { tokenSchema } from '../access/shapes.ts';
import { agentIdPattern } from '../envelope.ts';
import { operation } from '../operation.ts';

export const createAgentToken = operation({
  name: 'create_agent_token',
  call: 'Call it to give one agent a token of its own, which can act as no other agent.',
  needs: 'Needs an admin key.',
  returns: 'Returns the token with its secret, which is shown this once.',
  http: { method: 'POST', path: '/agents/tokens', status: 201 },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    agent_id: z
      .string()
      .regex(agentIdPattern, 'must be 1 to 64 letters, digits, dots, underscores or hyphens'),
    scopes: z
      .array(z.enum(['read', 'send']))
      .min(1)
      .max(2)
      .default(['read', 'send']),
    name: z.string().min(1).max(200).optional(),
  }),
  output: tokenSchema.extend({ token: z.string() }),
  errors: [],
  handle: (input, { inbox, caller }) =>
    inbox.createToken({
      agentId: input.agent_id,
      scopes: input.scopes,
      name: input.name ?? input.agent_id,
      actor: caller.credential,
    }),
});
