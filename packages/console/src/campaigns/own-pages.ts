import type { ReadMail } from './mime.ts';

/** A public page of Postern that a mail leads its reader to. */
export interface OwnPage {
  readonly name: string;
  readonly address: string;
}

const NAMES: Readonly<Record<string, string>> = {
  confirm: 'Confirm',
  u: 'Unsubscribe',
  s: 'Preferences',
  v: 'View on the web',
};
const OWN_PAGE = /https?:\/\/[^\s"'<>]+?\/p\/(confirm|u|s|v)\/[\w-]+/g;

/** Each page once, as the reader of the mail would reach it; the mail itself is shown without its links. */
export function ownPages({ headers, text, html }: Pick<ReadMail, 'headers' | 'text' | 'html'>): OwnPage[] {
  const places = [...headers.map(([, value]) => value), text ?? '', html ?? ''];
  const found = new Map<string, string>();
  for (const [address, kind = ''] of places.flatMap((place) => [...place.matchAll(OWN_PAGE)])) {
    if (!found.has(kind)) found.set(kind, address);
  }
  return Object.entries(NAMES).flatMap(([kind, name]) => {
    const address = found.get(kind);
    return address === undefined ? [] : [{ name, address }];
  });
}
