import * as z from 'zod';
import { operation } from '../operation.ts';

export const getSession = operation({
  name: 'get_session',
  call: 'Call it to learn whether this browser is logged in, and to what.',
  needs: 'Needs a session or an admin key.',
  returns:
    'Returns the version, the public URL, which services run, and what starts the inbox tools on this machine.',
  http: { method: 'GET', path: '/session' },
  rights: 'admin',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({
    version: z.string(),
    public_url: z.string(),
    services: z.strictObject({ inbox: z.boolean(), threads: z.boolean(), campaigns: z.boolean() }),
    inbox_command: z.array(z.string()),
  }),
  errors: [],
  async handle(_input, { version, publicUrl, services, inboxCommand }) {
    return { version, public_url: publicUrl(), services, inbox_command: [...inboxCommand] };
  },
});
