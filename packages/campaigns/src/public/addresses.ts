import type { Tokens } from '../tokens.ts';

/** Addresses of the public pages (contract of the process: everything below /p/). */

export interface PersonLinks {
  /** Also that of List-Unsubscribe: a POST to it unsubscribes at once, a GET only asks. */
  readonly unsubscribe: string;
  readonly preferences: string;
  readonly view: string;
}

/** What a mail of a campaign leads its recipient to. Each token is made when it is first asked for: few mails have all. */
export function personLinks(
  publicUrl: string,
  tokens: Tokens,
  mail: { readonly campaignId: string; readonly subscriberId: string },
): PersonLinks {
  let unsubscribe: string | undefined;
  let preferences: string | undefined;
  let view: string | undefined;
  return {
    get unsubscribe() {
      unsubscribe ??= `${publicUrl}/p/u/${tokens.mail('unsubscribe', mail)}`;
      return unsubscribe;
    },
    get preferences() {
      preferences ??= `${publicUrl}/p/s/${tokens.mail('preferences', mail)}`;
      return preferences;
    },
    get view() {
      view ??= `${publicUrl}/p/v/${tokens.mail('view', mail)}`;
      return view;
    },
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
