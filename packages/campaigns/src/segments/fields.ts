import { idPattern } from '@postern/kit';
import { ATTRIBUTE_LIMITS } from '../subscribers/attributes.ts';

/** What a condition can ask about. */
export type Field =
  | { readonly kind: 'email' | 'name' | 'status' | 'created_at' }
  | { readonly kind: 'attribute'; readonly key: string }
  | { readonly kind: 'campaign'; readonly campaignId: string; readonly event: CampaignEvent };

export type CampaignEvent = 'sent' | 'opened' | 'clicked';

const CAMPAIGN = idPattern('cmp');
const EVENTS: readonly string[] = ['sent', 'opened', 'clicked'] satisfies CampaignEvent[];

/** Reads a field's name; null where it is none. An attribute's key is all behind the first dot. */
export function fieldOf(name: string): Field | null {
  if (name === 'email' || name === 'name' || name === 'status' || name === 'created_at')
    return { kind: name };
  const dot = name.indexOf('.');
  const rest = name.slice(dot + 1);
  if (name.startsWith('attributes.')) {
    const length = rest.length > 2 * ATTRIBUTE_LIMITS.keyCharacters ? rest.length : [...rest].length;
    return length > 0 && length <= ATTRIBUTE_LIMITS.keyCharacters ? { kind: 'attribute', key: rest } : null;
  }
  const [area, campaignId = '', event = '', ...more] = name.split('.');
  if (area !== 'campaigns' || more.length > 0) return null;
  if (!CAMPAIGN.test(campaignId) || !EVENTS.includes(event)) return null;
  return { kind: 'campaign', campaignId, event: event as CampaignEvent };
}
