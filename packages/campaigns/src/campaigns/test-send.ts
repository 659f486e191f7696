import { problem } from '@postern/http';
import { type FieldViolation, summariseViolations } from '@postern/kit';
import { recordAct } from '../audit.ts';
import type { CampaignsPorts } from '../ports.ts';
import { enqueueServiceMail } from '../subscribers/service-mail.ts';
import { senderOf, violation } from './check-content.ts';
import { checkTransport } from './check-launch.ts';
import { previewCampaign } from './preview.ts';
import { findCampaign } from './rows.ts';
import { contentSource, hasBody } from './source.ts';
import { surroundingsOf } from './surroundings.ts';

/**
 * Sends what a preview shows to some addresses. It counts nowhere, and its personal addresses are made up, so that
 * whoever gets it can't act for a subscriber.
 *
 * @throws Failure not_found; precondition_failed when it could not be sent, or its template has errors.
 */
export async function sendTestCampaign(
  ports: CampaignsPorts,
  actor: string,
  input: {
    readonly projectId: string;
    readonly campaignId: string;
    readonly subscriberId: string | null;
    readonly to: readonly string[];
  },
): Promise<string[]> {
  const { projectId, campaignId } = input;
  const { store } = ports;
  const campaign = await findCampaign(store.db, projectId, campaignId);
  const around = await surroundingsOf(ports, campaign);
  const source = contentSource(campaign, around.template);
  const from = senderOf(campaign, around.lists);
  const violations: FieldViolation[] = [
    ...(from === null
      ? [violation('from', 'invalid_state', 'is missing, and none of the lists has one')]
      : []),
    ...(hasBody(source)
      ? []
      : [violation('html', 'template_error', 'is empty, and so is text: there is nothing to send')]),
    ...(await checkTransport(ports, projectId, from)),
  ];
  if (from === null || violations.length > 0) {
    throw problem('precondition_failed', summariseViolations(violations), { violations });
  }
  const { subject, html, text } = await previewCampaign(ports, input);
  const to = [...new Set(input.to.map((address) => address.trim()))];
  await store.transaction(async (tx) => {
    for (const address of to) {
      const mail = { projectId, to: address, from, replyTo: campaign.reply_to, subject, html, text };
      await enqueueServiceMail(tx, ports, { ...mail, kind: 'test', aboutId: input.subscriberId });
    }
    await recordAct(tx, ports, {
      actor,
      action: 'send_test_campaign',
      target: campaignId,
      details: { mails: to.length },
    });
  });
  return to;
}
