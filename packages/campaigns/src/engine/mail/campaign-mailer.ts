import {
  type CompiledMessage,
  compileMessage,
  HeaderError,
  hole,
  identifierField,
  MissingValueError,
  messageBytes,
  parseAddress,
} from '@postern/mail';
import { copies, launchedContent } from '../../campaigns/launched.ts';
import type { Text } from '../../content/compiled.ts';
import { type HoleValues, personalise } from '../../content/personalise.ts';
import { TemplateError } from '../../content/template-error.ts';
import type { CampaignsPorts } from '../../ports.ts';
import type { CampaignTable } from '../../tables.ts';
import { tokensOf } from '../../tokens.ts';
import {
  type CampaignMailer,
  CampaignUnfitError,
  MailBuildError,
  type OutgoingMail,
  type Recipient,
} from '../ports.ts';
import { identityOf, signatureFor } from './identity.ts';

/** No hole of a content has a space in its name. */
const UNSUBSCRIBE = 'unsubscribe address';
/** Last part of Feedback-ID: the kind of sender that all our mail has in common. */
const FEEDBACK_SENDER = 'postern';

/**
 * Prepares the mails of a launched campaign: what is the same in all of them is written once, and each copy costs its
 * holes and its signature.
 *
 * @throws CampaignUnfitError when no mail of it can be made.
 */
export async function campaignMailer(
  ports: CampaignsPorts,
  campaign: CampaignTable,
): Promise<CampaignMailer> {
  const launched = unlessUnfit(() => launchedContent(campaign));
  const { content, from, reply_to } = launched;
  const sender = parseAddress(from.email);
  if (sender.fault !== undefined) throw new CampaignUnfitError('template_error', 'from is no address');
  const replyTo = reply_to === null ? null : parseAddress(reply_to);
  if (replyTo?.fault !== undefined) throw new CampaignUnfitError('template_error', 'reply_to is no address');
  const { domain } = sender;
  const identity = await identityOf(ports, campaign.project_id, domain);
  const tokens = tokensOf(ports.installationKey);
  const copyFor = copies(launched, campaign, ports.publicUrl(), tokens);

  const compile = (listId: string) =>
    unlessUnfit(() =>
      compileMessage({
        from: { address: sender, name: from.name },
        replyTo: replyTo && { address: replyTo },
        subject: content.subject,
        text: content.text,
        html: content.html,
        fields: [
          { name: 'List-Unsubscribe', value: ['<', hole(UNSUBSCRIBE), '>'], form: 'tokens' },
          { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click', form: 'tokens' },
          identifierField('List-Id', launched.lists[listId] ?? '', listIdentifier(listId, domain)),
          { name: 'Feedback-ID', value: feedbackId(campaign), form: 'tokens' },
        ],
        seed: campaign.campaign_id,
      }),
    );
  const byList = new Map<string, CompiledMessage>();
  const messageOf = (listId: string): CompiledMessage => {
    const known = byList.get(listId);
    if (known) return known;
    const compiled = compile(listId);
    byList.set(listId, compiled);
    return compiled;
  };
  // What can't be written at all shows now, and not with the first recipient.
  for (const listId of Object.keys(launched.lists)) messageOf(listId);

  async function build(recipient: Recipient): Promise<OutgoingMail> {
    const address = parseAddress(recipient.email);
    if (address.fault !== undefined)
      throw new MailBuildError('invalid_email', `the address is ${address.fault}`);
    const nowUs = ports.clock.nowMicroseconds();
    const copy = copyFor(recipient);
    const values: HoleValues = {
      ...personalise(content, copy.recipient),
      [UNSUBSCRIBE]: copy.links.unsubscribe,
    };
    // The same whenever this mail is made again, so that a copy can be told for one.
    const messageId = `${tokens.messageId(recipient.deliveryId)}@${domain}`;
    const rendered = messageOf(recipient.listId).render({
      to: { address, name: recipient.name },
      date: Math.floor(nowUs / 1_000),
      messageId,
      values,
    });
    return {
      from: `${tokens.bounce(recipient.deliveryId)}@${identity.returnPathDomain}`,
      to: address.wire,
      bytes: messageBytes(rendered, await signatureFor(identity, rendered, nowUs)),
      messageId,
      subject: filled(content.subject, values),
      smtpUtf8: rendered.utf8,
    };
  }

  return {
    fromDomain: domain,
    build: (recipient) => build(recipient).catch((error: unknown) => Promise.reject(asBuildError(error))),
  };
}

/** Stable over all campaigns of a list (RFC 2919). */
function listIdentifier(listId: string, domain: string): string {
  return `${listId.toLowerCase().replace('_', '-')}.${domain}`;
}

/** Up to four parts, the last of which names the sender. */
function feedbackId({ campaign_id, project_id }: CampaignTable): string {
  return `${campaign_id}:${project_id}:campaign:${FEEDBACK_SENDER}`;
}

function filled(text: Text, values: HoleValues): string {
  return text
    .map((piece) => (typeof piece === 'string' ? piece : (values[piece.hole] ?? '')))
    .join('')
    .trim();
}

function unlessUnfit<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new CampaignUnfitError('template_error', error instanceof Error ? error.message : String(error));
  }
}

/** What a template or a value of one recipient may do wrong. */
export function asBuildError(error: unknown): unknown {
  const isTheirs =
    error instanceof TemplateError || error instanceof HeaderError || error instanceof MissingValueError;
  return isTheirs ? new MailBuildError('render_error', error.message) : error;
}
