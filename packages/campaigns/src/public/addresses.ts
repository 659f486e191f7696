import type { Tokens } from '../tokens.ts';

/** Addresses of the public pages (contract of the process: everything below /p/). */

export interface PersonLinks {
  /** Also that of List-Unsubscribe: a POST to it unsubscribes at once, a GET only asks. */
  readonly unsubscribe: string;
  readonly preferences: string;
  readonly view: string;
}

/** What a mail of a campaign leads its recipient to. */
export function personLinks(
  publicUrl: string,
  tokens: Tokens,
  mail: { readonly campaignId: string; readonly subscriberId: string },
): PersonLinks {
  return {
    unsubscribe: `${publicUrl}/p/u/${tokens.mail('unsubscribe', mail)}`,
    preferences: `${publicUrl}/p/s/${tokens.mail('preferences', mail)}`,
    view: `${publicUrl}/p/v/${tokens.mail('view', mail)}`,
  };
}

/** Where the confirmation mail of a double opt-in list leads. */
export function confirmLink(
  publicUrl: string,
  tokens: Tokens,
  subscriberId: string,
  atMicroseconds: number,
): string {
  return `${publicUrl}/p/confirm/${tokens.confirm(subscriberId, atMicroseconds)}`;
}

export function clickAddress(publicUrl: string, token: string, link: number): string {
  return `${publicUrl}/p/c/${token}/${link}`;
}

export function linkAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/p/l/${token}`;
}

export function pixelAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/p/o/${token}.gif`;
}

export function archiveAddress(publicUrl: string, listId: string, campaignId?: string): string {
  return `${publicUrl}/p/archive/${listId}${campaignId === undefined ? '' : `/${campaignId}`}`;
}
