import type { Transport } from '../engine/ports.ts';
import type { CampaignsPorts } from '../ports.ts';
import { captureTransport } from './capture.ts';
import { smtpTransport } from './smtp.ts';

/** How mails leave: `capture` unless relays are configured. */
export function transportKind({ config }: Pick<CampaignsPorts, 'config'>): 'capture' | 'smtp' {
  return config.smtp.length === 0 ? 'capture' : 'smtp';
}

/**
 * The transport of the configuration.
 *
 * @param share of the configured connections, where several senders work side by side.
 */
export function configuredTransport(ports: CampaignsPorts, share = 1): Transport {
  return transportKind(ports) === 'capture' ? captureTransport(ports) : smtpTransport(ports, share);
}
