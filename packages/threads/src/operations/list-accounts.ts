import * as z from 'zod';
import { operation } from '../operation.ts';
import { accountSchema, accountShape } from '../shapes.ts';

export const listAccounts = operation({
  name: 'list_agent_accounts',
  call: 'Call it to see how sessions are spread over the accounts of the agent, and which have reached their limit.',
  needs: 'Needs an admin key.',
  returns: 'Returns each configured account with its sessions; none where claudeAccounts is empty.',
  http: { method: 'GET', path: '/accounts' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.object({ data: z.array(accountSchema) }),
  errors: [],
  handle: async (_input, { threads }) => ({ data: (await threads.accounts()).map(accountShape) }),
});
