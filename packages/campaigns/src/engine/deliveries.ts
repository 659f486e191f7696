import { transitionTable } from '@postern/kit';
import type { DeliveryState } from '../tables.ts';

/**
 * The life of one mail to one person. Everybody who moves a row of the ledger, whether of a campaign or a single
 * e-mail, asks this table. `submitted` is written before the message's last byte leaves, so a row that is still
 * `claimed` after a crash has certainly not been sent, and one that is `submitted` may have been.
 */
export const deliveryStates = transitionTable('delivery', {
  pending: { claim: 'claimed', skip: 'skipped', cancel: 'cancelled', fail: 'failed' },
  claimed: {
    submit: 'submitted',
    release: 'pending',
    defer: 'deferred',
    fail: 'failed',
    skip: 'skipped',
    cancel: 'cancelled',
  },
  submitted: {
    accept: 'sent',
    // The last byte never left.
    release: 'pending',
    defer: 'deferred',
    fail: 'failed',
    lose: 'unknown',
  },
  deferred: { claim: 'claimed', skip: 'skipped', cancel: 'cancelled', fail: 'failed' },
  // An answer may still come when only the lease was lost, and not the connection.
  unknown: { accept: 'sent', fail: 'failed' },
  sent: {},
  failed: {},
  skipped: {},
  cancelled: {},
});

export type DeliveryEvent = (typeof deliveryStates.events)[number];

/** A campaign goes on while it has rows in one of these. */
export const OPEN_STATES = ['pending', 'claimed', 'submitted', 'deferred'] as const satisfies DeliveryState[];

/** Rows that nobody holds, which a cancel drops at once. */
export const IDLE_STATES = ['pending', 'deferred'] as const satisfies DeliveryState[];
