import { answer } from '@postern/kit';
import * as z from 'zod';
import { readCookie, SESSION_COOKIE, sessionCookie } from '../../hub/cookies.ts';
import { isSecure, operation } from '../operation.ts';
import { endSession } from '../sessions.ts';

export const logOut = operation({
  name: 'log_out',
  call: 'Call it to end the session of this browser.',
  needs: 'Needs nothing; without a session it does nothing.',
  returns: 'Returns nothing, and takes the cookie away.',
  http: { method: 'POST', path: '/logout', status: 204 },
  rights: 'anyone',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({}),
  output: z.null(),
  errors: [],
  async handle(_input, { sessions, publicUrl, header }) {
    const session = readCookie(header('cookie'), SESSION_COOKIE);
    if (session !== null) await endSession(sessions, session);
    return answer(null, {
      'set-cookie': sessionCookie(null, { secure: isSecure(publicUrl()), maxAgeSeconds: 0 }),
    });
  },
});
