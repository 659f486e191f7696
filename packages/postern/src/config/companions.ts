import { type Origins, problemAt } from './explain.ts';
import type { ConfigProblem } from './problem.ts';
import type { FileConfig } from './schema.ts';

const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Whether a host name of a URL is one of this machine's own. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
}

/** Settings that make sense only with another one beside them. */
export function companionProblems(config: FileConfig, origins: Origins): ConfigProblem[] {
  return config.inbox.webhooks.flatMap((webhook, index) => {
    if (webhook.allowLoopback || !isLoopbackHost(new URL(webhook.url).hostname)) return [];
    const path = ['inbox', 'webhooks', index, 'url'];
    return [
      problemAt(
        path,
        'a target on this machine',
        'another target, or allowLoopback: true beside it',
        origins,
      ),
    ];
  });
}
