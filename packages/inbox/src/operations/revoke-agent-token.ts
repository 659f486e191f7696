import { idPattern } from '@postern/kit';
import * as z from 'zod';
import { operation } from '../operation.ts';

export const revokeAgentToken = operation({
  name: 'revoke_agent_token',
  call: "Call it to end an agent's token at once.",
  needs: 'Needs an admin key and a token that exists.',
  returns: 'Returns nothing.',
  http: { method: 'DELETE', path: '/agents/tokens/:token_id', status: 204 },
  rights: { scope: 'admin', agent: 'optional' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    token_id: z.string().regex(idPattern('tok'), 'must be a token id such as tok_01HXYZABCDEFGHJKMNPQRSTVWX'),
  }),
  output: z.null(),
  errors: ['NOT_FOUND'],
  async handle(input, { inbox, caller }) {
    await inbox.revokeToken(input.token_id, caller.credential);
    return null;
  },
});
