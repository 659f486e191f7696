import * as z from 'zod';
import type { Config } from '../config/load.ts';
import { exposureWarnings } from '../hub/address.ts';
import { type Finding, failed, ok, warning } from './check.ts';

/** Checks that ask the running server. */

const ANSWER_MS = 5_000;

const statusSchema = z.object({ status: z.string(), detail: z.string().optional() });
const readinessSchema = z.object({
  status: z.string(),
  services: z.record(
    z.string(),
    statusSchema.extend({ connectors: z.record(z.string(), statusSchema).optional() }),
  ),
});

/** Whether something that answers like Postern is at an address. */
export async function isServer(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok && z.object({ status: z.literal('ok') }).safeParse(await answer.json()).success;
  } catch {
    return false;
  }
}

/** Services and connectors, each as the server sees it. */
export async function checkServices(url: string): Promise<Finding[]> {
  let readiness: z.output<typeof readinessSchema>;
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    readiness = readinessSchema.parse(await answer.json());
  } catch {
    return [failed('services', `The server at ${url} does not say how it is`, 'See its log')];
  }
  const findings: Finding[] = [];
  for (const [service, { status, detail, connectors = {} }] of Object.entries(readiness.services)) {
    if (status !== 'off') findings.push(finding(`service.${service}`, status, detail));
    for (const [connector, state] of Object.entries(connectors)) {
      findings.push(finding(`connector.${connector}`, state.status, state.detail));
    }
  }
  return findings;
}

function finding(check: string, status: string, detail: string | undefined): Finding {
  const message = detail === undefined ? status : `${status}: ${detail}`;
  if (status === 'ok' || status === 'standby') return ok(check, message);
  const fix = "See the server's log for what it tried";
  return status === 'down' ? failed(check, message, fix) : warning(check, message, fix);
}

export async function checkPublicUrl(config: Config, running: boolean): Promise<Finding> {
  const [exposure] = exposureWarnings(config);
  if (exposure !== undefined)
    return warning('public_url', exposure, 'Set POSTERN_PUBLIC_URL to an https address');
  if (config.publicUrl === null) return ok('public_url', 'The listener; only this machine reaches it');
  if (!running) return ok('public_url', `${config.publicUrl}, not asked since no server runs`);
  return (await isServer(config.publicUrl))
    ? ok('public_url', `${config.publicUrl} leads here`)
    : warning(
        'public_url',
        `${config.publicUrl} cannot be reached from this machine`,
        'See DNS and the proxy in front of Postern',
      );
}
