import { sql } from 'kysely';
import {
  BOUNCED_AFTER_SENDING,
  hasBouncedTooOften,
  refuseAddress,
  SOFT_REASONS,
} from '../../bounces/effects.ts';
import type { CampaignsPorts, CampaignsTransaction } from '../../ports.ts';
import { lockSuppressions } from '../../suppressions/lock.ts';
import { emitEvents, type ProjectEvent } from '../../webhooks/events.ts';
import { pauseForErrors } from '../control/pause.ts';
import { type Ledger, type Move, moveRows } from './moves.ts';

/** A move of one row and what it means beyond the row. */
export interface Settlement extends Move {
  readonly ledger: Ledger;
  readonly projectId: string;
  /** Null where there is none: single e-mails. */
  readonly subscriberId: string | null;
  readonly email: string;
  readonly emailKey: string;
  /** A server answered, and whether it blamed sender or content; null when none did. */
  readonly answer: { readonly isOurFault: boolean } | null;
}

/**
 * Writes down what became of mails, together with all that follows from it: counters, suppressions, events, and the
 * pause of a campaign whose share of errors is too large.
 *
 * @param marks mails that are about to be handed over; they go in with the same statements.
 * @returns the ids of the rows that were still the worker's.
 */
export async function settleRows(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  worker: string,
  settlements: readonly Settlement[],
  marks: readonly Mark[] = [],
): Promise<ReadonlySet<string>> {
  const nowUs = ports.clock.nowMicroseconds();
  const moved = new Set<string>();
  const erased = new Set<string>();
  // Before any row is locked, as an erasure does.
  for (const projectId of [...new Set(settlements.filter(isBounce).map((one) => one.projectId))].sort()) {
    await lockSuppressions(tx, ports, projectId, 'shared');
  }
  for (const ledger of ['campaign', 'email'] as const) {
    const own = settlements.filter((one) => one.ledger === ledger);
    const submits = marks.filter((mark) => mark.ledger === ledger).map(submitMove);
    const done = await moveRows(tx, ports.store.engine, ledger, worker, nowUs, [...own, ...submits]);
    const late = own.flatMap((one) => (done.has(one.id) ? [] : secondTry(one)));
    for (const [id, isErased] of [
      ...done,
      ...(await moveRows(tx, ports.store.engine, ledger, worker, nowUs, late)),
    ]) {
      moved.add(id);
      if (isErased) erased.add(id);
    }
  }
  const applied = settlements.filter((one) => moved.has(one.id));
  await suppressBounced(tx, ports, applied, erased);
  // Who was erased while their mail was on its way is nobody any more, to webhooks either.
  await emitEvents(tx, ports, applied.filter((one) => !erased.has(one.id)).flatMap(eventsOf));
  await countAnswers(tx, ports, applied);
  return moved;
}

/** A row that is about to be handed over. */
export interface Mark extends Pick<Settlement, 'ledger' | 'id' | 'campaignId'> {}

const submitMove = ({ id, campaignId }: Mark): Move => ({ id, campaignId, from: 'claimed', event: 'submit' });

/** A row may be in another state than its worker could know. */
function secondTry(one: Settlement): Settlement[] {
  // The lease was lost meanwhile, and the row counts as unknown; now it is known after all.
  if (one.from === 'submitted' && (one.event === 'accept' || one.event === 'fail')) {
    return [{ ...one, from: 'unknown', isAttempt: false }];
  }
  // The mark was written, and its answer got lost with a connection to the database; the last byte never left.
  if (one.from === 'claimed' && one.event === 'release') return [{ ...one, from: 'submitted' }];
  return [];
}

async function suppressBounced(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  applied: readonly Settlement[],
  erased: ReadonlySet<string>,
): Promise<void> {
  const bounced = applied.filter(isBounce);
  // In one order everywhere, so that two workers never wait for each other's people.
  for (const one of bounced.sort((a, b) => (a.emailKey < b.emailKey ? -1 : 1))) {
    const isHard = one.reason === 'hard_bounce';
    const isErased = erased.has(one.id);
    if (one.ledger === 'campaign') {
      await recordBounce(tx, ports, isErased ? { ...one, reply: null } : one, isHard);
    }
    if (isErased) continue;
    if (isHard) await refuseAddress(tx, ports, one, 'hard_bounce', 'smtp');
    else if (await hasBouncedTooOften(tx, ports, one)) {
      await refuseAddress(tx, ports, one, 'hard_bounce', 'soft_bounces');
    }
  }
}

function isBounce({ event, reason }: Settlement): boolean {
  if (event !== 'fail' || reason == null) return false;
  return reason === BOUNCED_AFTER_SENDING || SOFT_REASONS.includes(reason);
}

async function recordBounce(
  tx: CampaignsTransaction,
  { clock, newId }: CampaignsPorts,
  one: Settlement,
  isHard: boolean,
): Promise<void> {
  await tx
    .insertInto('mail_events')
    .values({
      event_id: newId('evt'),
      project_id: one.projectId,
      campaign_id: one.campaignId,
      subscriber_id: one.subscriberId,
      type: 'bounced',
      details_json: JSON.stringify({ kind: isHard ? 'hard' : 'soft', reply: one.reply ?? null }),
      at_us: clock.nowMicroseconds(),
    })
    .execute();
}

function eventsOf(one: Settlement): ProjectEvent[] {
  const data = {
    delivery_id: one.ledger === 'campaign' ? one.id : null,
    email_id: one.ledger === 'email' ? one.id : null,
    campaign_id: one.campaignId,
    subscriber_id: one.subscriberId,
    email: one.email,
  };
  if (one.event === 'accept') {
    return [
      {
        projectId: one.projectId,
        type: 'delivery.sent',
        data: { ...data, message_id: one.messageId ?? null, smtp_reply: one.reply ?? null },
      },
    ];
  }
  if (!isBounce(one)) return [];
  const kind = one.reason === 'hard_bounce' ? 'hard' : 'soft';
  return [
    {
      projectId: one.projectId,
      type: 'delivery.bounced',
      data: { ...data, kind, reason: one.reason, smtp_reply: one.reply ?? null },
    },
  ];
}

async function countAnswers(
  tx: CampaignsTransaction,
  ports: CampaignsPorts,
  applied: readonly Settlement[],
): Promise<void> {
  const tallies = new Map<string, { answers: number; faults: number }>();
  for (const { campaignId, answer } of applied) {
    if (campaignId === null || answer === null) continue;
    const tally = tallies.get(campaignId) ?? { answers: 0, faults: 0 };
    tally.answers += 1;
    if (answer.isOurFault) tally.faults += 1;
    tallies.set(campaignId, tally);
  }
  for (const [campaignId, tally] of [...tallies].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const { rows } = await sql<{ answers: number; faults: number }>`
      UPDATE mail_campaign_runs SET answers = answers + ${tally.answers}, faults = faults + ${tally.faults}
      WHERE campaign_id = ${campaignId} RETURNING answers, faults`.execute(tx);
    const [total] = rows;
    if (total && tally.faults > 0) await pauseForErrors(tx, ports, campaignId, total);
  }
}
