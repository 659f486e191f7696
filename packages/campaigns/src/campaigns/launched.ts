import type { CompiledContent, Recipient, Tracking } from '../content/compiled.ts';
import {
  clickAddress,
  linkAddress,
  type PersonLinks,
  personLinks,
  pixelAddress,
} from '../public/addresses.ts';
import type { CampaignTable } from '../tables.ts';
import type { MailToken, Tokens } from '../tokens.ts';

/** What a launch fixes of a campaign (`mail_campaigns.content_json`): later changes of names reach no mail of it. */
export interface LaunchedContent {
  readonly version: 1;
  readonly content: CompiledContent;
  readonly from: { readonly name: string | null; readonly email: string };
  readonly reply_to: string | null;
  readonly campaign: { readonly name: string };
  readonly project: { readonly name: string; readonly sender_address: string | null };
  /** Names of its lists, by their ids. */
  readonly lists: Readonly<Record<string, string>>;
}

/** @throws Error when the campaign was never launched. */
export function launchedContent({
  campaign_id,
  content_json,
}: Pick<CampaignTable, 'campaign_id' | 'content_json'>) {
  if (content_json === null) throw new Error(`${campaign_id} has no content: it was never launched`);
  return JSON.parse(content_json) as LaunchedContent;
}

/** Whom a copy is for. */
export interface Addressee {
  readonly subscriberId: string;
  readonly listId: string;
  readonly email: string;
  readonly name: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export type TrackingChoice = Pick<CampaignTable, 'campaign_id' | 'tracking_opens' | 'tracking_clicks'>;

/**
 * Gives each copy of a campaign its variables and addresses:
 * `personalise(launched.content, copyFor(addressee).recipient)`.
 */
export function copies(
  launched: LaunchedContent,
  campaign: TrackingChoice,
  publicUrl: string,
  tokens: Tokens,
): (addressee: Addressee) => { readonly recipient: Recipient; readonly links: PersonLinks } {
  const track = trackingOf(campaign, publicUrl, tokens);
  return (addressee) => {
    const { subscriberId, listId, email, name, attributes } = addressee;
    const links = personLinks(publicUrl, tokens, { campaignId: campaign.campaign_id, subscriberId });
    const recipient: Recipient = {
      variables: {
        subscriber: { email, name, attributes },
        campaign: launched.campaign,
        list: { name: launched.lists[listId] ?? '' },
        project: launched.project,
        get unsubscribe_url() {
          return links.unsubscribe;
        },
        get preferences_url() {
          return links.preferences;
        },
        get view_url() {
          return links.view;
        },
      },
      tracking: track(subscriberId),
    };
    return { recipient, links };
  };
}

/** A longer link is left as it is: with its token it would be more than a request may have. */
const LONGEST_LINK = 2_000;

/** Tokens are made when they are first asked for, and those that name nobody once for all. */
function trackingOf(
  { campaign_id: campaignId, tracking_opens, tracking_clicks }: TrackingChoice,
  publicUrl: string,
  tokens: Tokens,
): (subscriberId: string) => Tracking {
  const nobody: MailToken = { campaignId, subscriberId: null };
  const nobodysClick = tokens.mail('click', nobody);
  const nobodysPixel = pixelAddress(publicUrl, tokens.mail('open', nobody));
  return (subscriberId) => {
    const mail: MailToken = { campaignId, subscriberId };
    const clicker = tracking_clicks === 'person' ? mail : nobody;
    let click: string | undefined = tracking_clicks === 'person' ? undefined : nobodysClick;
    return {
      click(link) {
        click ??= tokens.mail('click', mail);
        return clickAddress(publicUrl, click, link);
      },
      clickTo: (url) => (url.length > LONGEST_LINK ? url : linkAddress(publicUrl, tokens.link(clicker, url))),
      get pixel() {
        return tracking_opens === 'person'
          ? pixelAddress(publicUrl, tokens.mail('open', mail))
          : nobodysPixel;
      },
    };
  };
}
