import { isKnownExample, STRONG_SECRET } from '../secrets/strength.ts';
import { type Origins, problemAt } from './explain.ts';
import type { ConfigProblem } from './problem.ts';
import type { FileConfig } from './schema.ts';

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Whether a host name of a URL is one of this machine's own. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
}

/** What only shows when several settings are seen together, and rules the schemas of others do not know. */
export function companionProblems(config: FileConfig, origins: Origins): ConfigProblem[] {
  return [...equalSecrets(config, origins), ...config.inbox.webhooks.flatMap(webhookProblems)];

  function webhookProblems({ url, secrets, allowLoopback }: Webhook, index: number): ConfigProblem[] {
    const at = ['inbox', 'webhooks', index];
    const problems = secrets.flatMap((secret, place) => {
      // Its length is the schema's; the secret itself is what the text encodes, if it was not typed as it stands.
      const text = secret.replace(/^whsec_/, '');
      if (!isKnownExample(text) && !isKnownExample(Buffer.from(text, 'base64').toString())) return [];
      return [problemAt([...at, 'secrets', place], 'a secret known from examples', STRONG_SECRET, origins)];
    });
    const { hostname, username, password } = new URL(url);
    if (username !== '' || password !== '') {
      // Never called, and listed with each delivery.
      const accepted = 'an address without; the signature tells the target who calls';
      problems.push(problemAt([...at, 'url'], 'a user name or password', accepted, origins));
    }
    if (!allowLoopback && isLoopbackHost(hostname)) {
      const accepted = 'another target, or allowLoopback: true beside it';
      problems.push(problemAt([...at, 'url'], 'a target on this machine', accepted, origins));
    }
    return problems;
  }
}

type Webhook = FileConfig['inbox']['webhooks'][number];

/** An agent that holds the inbox's bearer must not hold the operator's key with it. */
function equalSecrets({ adminKey, inbox }: FileConfig, origins: Origins): ConfigProblem[] {
  if (adminKey === undefined || adminKey !== inbox.bearerToken) return [];
  return [problemAt(['inbox', 'bearerToken'], 'the admin key', 'a secret of its own', origins)];
}
