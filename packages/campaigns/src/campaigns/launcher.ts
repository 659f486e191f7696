import type { Launcher } from '../engine/ports.ts';
import type { CampaignsPorts } from '../ports.ts';
import { checkTransport } from './check-launch.ts';
import { launchedContent } from './launched.ts';

/**
 * What stands between a scheduled campaign and its due time: the content is the one that was confirmed, but a domain
 * may have failed its checks since.
 */
export function createLauncher(ports: CampaignsPorts): Launcher {
  return {
    async prepare(campaign) {
      const { project_id, content_json } = campaign;
      if (content_json === null) return { unfit: 'template_error' };
      const violations = await checkTransport(ports, project_id, launchedContent(campaign).from);
      return violations.length > 0 ? { unfit: 'domain_unverified' } : { contentJson: content_json };
    },
  };
}
