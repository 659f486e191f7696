import { problem } from '@postern/http';
import { answer } from '@postern/kit';
import * as z from 'zod';
import { sessionCookie } from '../../hub/cookies.ts';
import { isSecure, operation } from '../operation.ts';
import { redeemLoginToken, SESSION_DAYS } from '../sessions.ts';

export const logIn = operation({
  name: 'log_in',
  call: 'Call it to turn the token of a one-time link into a session.',
  needs: 'Needs a token that was not used before and is younger than 15 minutes.',
  returns: 'Returns nothing but the session cookie.',
  http: { method: 'POST', path: '/login', status: 204 },
  rights: 'anyone',
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ token: z.string().min(1).max(200) }),
  output: z.null(),
  errors: ['unauthorized'],
  async handle({ token }, { sessions, publicUrl }) {
    const session = await redeemLoginToken(sessions, token);
    if (session === null) {
      throw problem(
        'unauthorized',
        'The link was used already, is too old, or is not one of this server. Run npx postern login for a new one.',
      );
    }
    const cookie = sessionCookie(session, {
      secure: isSecure(publicUrl()),
      maxAgeSeconds: SESSION_DAYS * 86_400,
    });
    return answer(null, { 'set-cookie': cookie });
  },
});
