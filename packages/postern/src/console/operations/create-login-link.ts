import { answer, formatMicroseconds } from '@postern/kit';
import * as z from 'zod';
import { loginUrl } from '../login-url.ts';
import { operation } from '../operation.ts';
import { createLoginToken } from '../sessions.ts';

export const createLoginLink = operation({
  name: 'create_login_link',
  call: 'Call it for a link that opens the console once.',
  needs: 'Needs an admin key or a session.',
  returns: 'Returns the link and when it ends; the server keeps only a hash of it.',
  http: { method: 'POST', path: '/login-links', status: 201 },
  rights: 'admin',
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({}),
  output: z.strictObject({ url: z.string(), expires_at: z.string() }),
  errors: [],
  async handle(_input, { sessions, publicUrl }) {
    const { token, expiresUs } = await createLoginToken(sessions);
    return answer({ url: loginUrl(publicUrl(), token), expires_at: formatMicroseconds(expiresUs) });
  },
});
