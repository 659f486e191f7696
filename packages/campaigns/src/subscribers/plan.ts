import type { ListTable, SubscriberStatus, SubscriberTable } from '../tables.ts';
import { type Attributes, mergeAttributes } from './attributes.ts';
import type { ConsentSource } from './shapes.ts';

/** What adding, importing or changing a subscriber comes to. Decides, and touches nothing. */

/** What is said of somebody; what is left out stays as it is. */
export interface Given {
  readonly name?: string | null | undefined;
  readonly attributes?: Attributes | undefined;
}

export interface Terms {
  readonly list: Pick<ListTable, 'list_id' | 'project_id' | 'opt_in'>;
  readonly source: ConsentSource;
  /** Takes back who left; without it consent is never raised (contract, section 2). */
  readonly resubscribe: boolean;
  readonly evidence: string | null;
  /** Whether whoever is unconfirmed now is asked to confirm; imports ask nobody. */
  readonly asksToConfirm: boolean;
}

/** The name under which a subscriber is on a list. */
export interface Identity {
  readonly subscriberId: string;
  /** As typed. */
  readonly email: string;
  readonly emailKey: string;
}

export type Plan =
  | {
      readonly outcome: 'created' | 'updated' | 'unchanged';
      readonly row: SubscriberTable;
      /** The status it had; null for somebody new. */
      readonly before: SubscriberStatus | null;
      /** Whether the row differs from what is stored. */
      readonly isWritten: boolean;
      /** Whether a confirmation mail is due. */
      readonly asks: boolean;
    }
  /** Attributes would become more than a subscriber may have. */
  | { readonly outcome: 'too_large' };

/** Nobody is asked to confirm more often than this, however often they are added. */
const ASK_AGAIN_US = 24 * 3_600 * 1_000_000;

/** Plans somebody new, or somebody who was erased and whose suppression is gone. */
export function planNew(
  identity: Identity,
  given: Given,
  terms: Terms,
  nowUs: number,
  erased?: SubscriberTable,
): Plan {
  const attributes = mergeAttributes('{}', given.attributes);
  if (attributes === null) return { outcome: 'too_large' };
  const status = entryStatus(terms.list);
  const asks = status === 'unconfirmed' && terms.asksToConfirm;
  return {
    outcome: 'created',
    row: {
      subscriber_id: identity.subscriberId,
      project_id: terms.list.project_id,
      list_id: terms.list.list_id,
      email: identity.email,
      email_key: identity.emailKey,
      name: given.name ?? null,
      attributes_json: attributes,
      status,
      ...consent(terms, nowUs),
      confirm_sent_us: asks ? nowUs : null,
      created_us: nowUs,
      updated_us: nowUs,
    },
    before: erased ? 'erased' : null,
    isWritten: true,
    asks,
  };
}

/** Plans a change of somebody who is there. */
export function planChange(found: SubscriberTable, given: Given, terms: Terms, nowUs: number): Plan {
  const attributes = mergeAttributes(found.attributes_json, given.attributes);
  if (attributes === null) return { outcome: 'too_large' };
  const name = given.name === undefined ? found.name : given.name;
  const status = terms.resubscribe && found.status !== 'subscribed' ? entryStatus(terms.list) : found.status;
  const isChanged = status !== found.status || name !== found.name || attributes !== found.attributes_json;
  const asks = isAsked(found, status, terms, nowUs);
  const isWritten = isChanged || asks;
  return {
    outcome: isChanged ? 'updated' : 'unchanged',
    // Most of a repeated import changes nothing, and a copy of a row costs more than all that is decided here.
    row: isWritten
      ? {
          ...found,
          name,
          attributes_json: attributes,
          status,
          ...(status === found.status ? {} : consent(terms, nowUs)),
          ...(asks ? { confirm_sent_us: nowUs } : {}),
          ...(isChanged ? { updated_us: nowUs } : {}),
        }
      : found,
    before: found.status,
    isWritten,
    asks,
  };
}

/** Where everybody begins: a double opt-in list has them confirm, whatever anybody says. */
function entryStatus({ opt_in }: Terms['list']): 'subscribed' | 'unconfirmed' {
  return opt_in === 'double' ? 'unconfirmed' : 'subscribed';
}

function isAsked(
  { confirm_sent_us }: SubscriberTable,
  status: SubscriberStatus,
  { list, asksToConfirm }: Terms,
  nowUs: number,
): boolean {
  if (!asksToConfirm || status !== 'unconfirmed' || list.opt_in !== 'double') return false;
  return confirm_sent_us === null || nowUs - confirm_sent_us >= ASK_AGAIN_US;
}

function consent({ source, evidence }: Terms, nowUs: number) {
  return { consent_source: source, consent_at_us: nowUs, consent_evidence: evidence };
}
