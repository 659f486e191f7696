import * as z from 'zod';
import { withApi } from '../../operator/with-api.ts';
import { DONE, type Invocation } from '../command.ts';
import { moment } from '../moment.ts';

const answerSchema = z.object({ url: z.string(), expires_at: z.string() });

/** `postern login`: a one-time link to the console, on stdout. */
export async function login(invocation: Invocation): Promise<number> {
  return withApi(invocation, async (api) => {
    const { url, expires_at } = answerSchema.parse(await api.call('POST', '/console/api/login-links', {}));
    if (invocation.has('json')) {
      invocation.say(JSON.stringify({ url, expires_at }));
      return DONE;
    }
    invocation.say(url);
    if (!api.running)
      invocation.warn('No server runs on this data folder; start it before you open the link.');
    invocation.warn(`It opens the console once, until ${moment(expires_at)}.`);
    return DONE;
  });
}
