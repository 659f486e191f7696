import type { CampaignsPorts } from '../../ports.ts';
import { moveCampaign } from '../control/campaign-state.ts';
import type { GateAnswer } from '../ledger/gate.ts';
import type { Settlement } from '../ledger/settle.ts';
import {
  MailBuildError,
  type OutgoingMail,
  type Reply,
  type SendResult,
  type SendStage,
  type Transport,
} from '../ports.ts';
import { judgeReply, replyText } from './answers.ts';
import { delayAfter, spread } from './backoff.ts';
import type { Destinations } from './destinations.ts';
import type { RelayCircuit } from './relay-circuit.ts';
import { type SendTask, settlementOf } from './task.ts';
import type { LedgerWriter } from './writer.ts';

/** Waits before a mail whose connection broke under it is tried again; after the last it counts as put off. */
const INTERRUPTION_WAITS_MS = [1_000, 5_000, 20_000];
const LONGEST_DETAIL = 500;

export interface DeliverySetting {
  readonly ports: CampaignsPorts;
  readonly transport: Transport;
  readonly writer: LedgerWriter;
  readonly destinations: Destinations;
  readonly circuit: RelayCircuit;
  /** Joins the last looks of many mails into one question. */
  readonly lookOnce: (task: SendTask) => Promise<GateAnswer>;
  /** Whether this worker is to stop: what has not left goes back. */
  isStopping(): boolean;
  /** How often a mail's connection has broken under it, by its id. */
  readonly interruptions: Map<string, number>;
}

/** Where a mail is when its transport returns. */
interface Progress {
  /** The mark being written: a connection may break meanwhile, and a row has one fate at a time. */
  marking: Promise<unknown> | null;
  /** `submitted` is on the disk. */
  isMarked: boolean;
  /** The row is somebody else's by now. */
  isLost: boolean;
  /** What the last look said. */
  gate: GateAnswer | null;
}

/**
 * Delivers one claimed mail: pace, build, last look, send. Every step may send the row back; only a mark in the
 * ledger allows the last byte.
 *
 * @returns what to write down; null when the row is somebody else's by now.
 */
export async function deliver(
  setting: DeliverySetting,
  task: SendTask,
  signal: AbortSignal,
): Promise<Settlement | null> {
  const { destinations, circuit } = setting;
  if (setting.isStopping() || circuit.waitMs > 0) {
    return settlementOf(task, { from: 'claimed', event: 'release' });
  }
  const notBeforeUs = await destinations.admit(task.destination);
  if (notBeforeUs > 0) {
    return settlementOf(task, { from: 'claimed', event: 'release', dueUs: notBeforeUs });
  }
  let mail: OutgoingMail;
  try {
    mail = await task.build();
  } catch (error) {
    if (!(error instanceof MailBuildError)) throw error;
    const reply = error.message.slice(0, LONGEST_DETAIL);
    return settlementOf(task, { from: 'claimed', event: 'fail', reason: error.reason, reply });
  }
  const progress: Progress = { marking: null, isMarked: false, isLost: false, gate: null };
  const result = await send(setting, task, mail, progress, signal);
  await progress.marking;
  return progress.isLost ? null : settlementFor(setting, task, mail, progress, result);
}

/** A transport does not throw; should one all the same, a marked mail may have left. */
async function send(
  setting: DeliverySetting,
  task: SendTask,
  mail: OutgoingMail,
  progress: Progress,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    return await setting.transport.send(mail, hooksOf(setting, task, progress), signal);
  } catch (error) {
    await progress.marking;
    if (!progress.isMarked) throw error;
    setting.ports.log.error({ err: error, id: task.id }, 'a transport failed under a mail');
    return { kind: 'unknown', detail: String(error) };
  }
}

function hooksOf({ writer, lookOnce, isStopping }: DeliverySetting, task: SendTask, progress: Progress) {
  return {
    async beforeMail(): Promise<boolean> {
      progress.gate = isStopping() ? 'stop' : await lookOnce(task);
      return progress.gate === 'go';
    },
    beforeEnd(): Promise<boolean> {
      const marking = writer.submit(task).then((isMarked) => {
        progress.isMarked = isMarked;
        progress.isLost = !isMarked;
        return isMarked;
      });
      progress.marking = marking.catch(() => undefined);
      return marking;
    },
  };
}

async function settlementFor(
  setting: DeliverySetting,
  task: SendTask,
  mail: OutgoingMail,
  progress: Progress,
  result: SendResult,
): Promise<Settlement> {
  const { ports, circuit, destinations, interruptions } = setting;
  const from = progress.isMarked ? 'submitted' : 'claimed';
  if (result.kind !== 'unreachable' && result.kind !== 'misconfigured') circuit.succeed();
  if (result.kind !== 'interrupted') interruptions.delete(task.id);
  switch (result.kind) {
    case 'accepted':
      destinations.succeed(task.destination);
      return settlementOf(task, {
        from,
        event: 'accept',
        reply: replyText(result.reply),
        messageId: mail.messageId,
        sentUs: ports.clock.nowMicroseconds(),
        isAttempt: true,
        answer: { isOurFault: false },
      });
    case 'refused':
      return refusedBy(setting, task, from, result.reply, result.stage);
    case 'held':
      return heldBack(task, from, progress);
    case 'interrupted':
      return interrupted(setting, task, from, result.detail);
    case 'unknown':
      return settlementOf(task, {
        from,
        event: 'lose',
        reason: 'no_answer',
        messageId: mail.messageId,
        isAttempt: true,
      });
    case 'unreachable':
      circuit.fail();
      ports.log.warn({ detail: result.detail }, 'no mail server can be reached; mails wait');
      return settlementOf(task, { from, event: 'release' });
    case 'misconfigured':
      circuit.fail();
      await holdCampaign(ports, task, result.detail);
      return settlementOf(task, { from, event: 'release' });
    case 'unsupported': {
      const isSize = result.what === 'size';
      return settlementOf(task, {
        from,
        event: 'fail',
        reason: isSize ? 'message_too_large' : 'smtputf8_unsupported',
        reply: result.detail,
        answer: { isOurFault: isSize },
      });
    }
  }
}

async function refusedBy(
  { ports, destinations, circuit }: DeliverySetting,
  task: SendTask,
  from: 'claimed' | 'submitted',
  reply: Reply,
  stage: SendStage,
): Promise<Settlement> {
  const verdict = judgeReply(reply, stage);
  const said = { from, reply: replyText(reply), isAttempt: true } as const;
  switch (verdict.kind) {
    case 'fail': {
      const { reason, isOurFault, isTooFast } = verdict;
      if (isTooFast) destinations.slowDown(task.destination);
      return settlementOf(task, { ...said, event: 'fail', reason, answer: { isOurFault } });
    }
    case 'defer':
      if (verdict.isTooFast) destinations.slowDown(task.destination);
      return putOff(ports, task, { ...said, reason: verdict.reason }, verdict.atLeastMs);
    case 'misconfigured':
      circuit.fail();
      await holdCampaign(ports, task, replyText(reply));
      return settlementOf(task, { from, event: 'release' });
    case 'sent':
      throw new Error('a refusal is no acceptance');
  }
}

/** Tries again later, unless it has been tried for long enough. */
function putOff(
  ports: CampaignsPorts,
  task: SendTask,
  said: Pick<Settlement, 'from'> & Partial<Settlement>,
  atLeastMs = 0,
): Settlement {
  const answer = { isOurFault: false };
  const delayMs = delayAfter(task.attempts + 1, ports.random);
  if (delayMs === null) return settlementOf(task, { ...said, event: 'fail', reason: 'expired', answer });
  const dueUs = ports.clock.nowMicroseconds() + Math.max(delayMs, atLeastMs) * 1_000;
  return settlementOf(task, { ...said, event: 'defer', dueUs, answer });
}

/** A hook said no: the person may not be mailed, or the campaign or this worker is to stop. */
function heldBack(task: SendTask, from: 'claimed' | 'submitted', { gate }: Progress): Settlement {
  if (gate === null || gate === 'go' || gate === 'stop') {
    return settlementOf(task, { from, event: 'release' });
  }
  const event = task.ledger === 'campaign' ? 'skip' : 'fail';
  return settlementOf(task, { from: 'claimed', event, reason: gate });
}

function interrupted(
  { ports, interruptions }: DeliverySetting,
  task: SendTask,
  from: 'claimed' | 'submitted',
  detail: string,
): Settlement {
  const times = interruptions.get(task.id) ?? 0;
  const waitMs = INTERRUPTION_WAITS_MS[times];
  if (waitMs === undefined) {
    interruptions.delete(task.id);
    return putOff(ports, task, { from, reason: 'connection_lost', reply: detail, isAttempt: true });
  }
  interruptions.set(task.id, times + 1);
  const dueUs = ports.clock.nowMicroseconds() + spread(waitMs, ports.random) * 1_000;
  return settlementOf(task, { from, event: 'release', dueUs });
}

/** Going on would only lock us out further; somebody has to mend the configuration. */
async function holdCampaign(ports: CampaignsPorts, { campaignId }: SendTask, detail: string): Promise<void> {
  ports.log.error({ detail, campaignId }, 'the mail server refuses us; check campaigns.smtp');
  if (campaignId === null) return;
  await ports.store.transaction((tx) => moveCampaign(tx, ports, campaignId, 'pause', 'relay_refused'));
}
