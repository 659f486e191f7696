import type { FetchMessageObject, ImapFlow } from 'imapflow';
import type { BounceMailboxConfig } from '../../config.ts';
import type { CampaignsPorts } from '../../ports.ts';
import { takeReport } from '../intake.ts';
import { inTime, MailboxError, MOST_READ, nameOf } from './connection.ts';
import { advanceTo, lastUidOf } from './cursor.ts';

/** Messages read and written down together; at most these are looked at again after a crash, to no effect. */
const BATCH = 20;

/**
 * Takes in what has come since the last time, oldest first. A message counts as read once its effects are in the
 * database and it was marked or moved, so that none is lost; a report that is seen again changes nothing.
 *
 * @throws MailboxError when the connection breaks; Error when the database does not take a report in.
 */
export async function takeNew(
  ports: CampaignsPorts,
  client: ImapFlow,
  settings: BounceMailboxConfig,
  signal: AbortSignal,
): Promise<void> {
  const uidValidity = uidValidityOf(client);
  const mailbox = nameOf(settings);
  const last = await lastUidOf(ports, mailbox, uidValidity);
  const uids = await newUids(ports, client, last);
  for (let from = 0; from < uids.length && !signal.aborted; from += BATCH) {
    const batch = uids.slice(from, from + BATCH);
    const messages = await inTime(
      ports.clock,
      client,
      client.fetchAll(batch.join(','), WHOLE, { uid: true }),
    );
    const reports = await takeAll(ports, messages, signal);
    if (signal.aborted) return;
    if (reports.length > 0) await putAway(ports, client, settings, reports);
    await advanceTo(ports, mailbox, { uidValidity, lastUid: batch.at(-1) ?? last });
  }
}

const WHOLE = { uid: true, source: { maxLength: MOST_READ } };

/** UIDs above the last one; `n:*` names the last message even where its UID is smaller (RFC 9051, section 9). */
async function newUids(ports: CampaignsPorts, client: ImapFlow, last: number): Promise<number[]> {
  const found = await inTime(ports.clock, client, client.search({ uid: `${last + 1}:*` }, { uid: true }));
  if (!found)
    throw new MailboxError('interrupted', 'The mail server does not say what is in the mailbox', null);
  return found.filter((uid) => uid > last).sort((a, b) => a - b);
}

/** UIDs of those that were reports about mails of ours; all else is left as it is. */
async function takeAll(
  ports: CampaignsPorts,
  messages: readonly FetchMessageObject[],
  signal: AbortSignal,
): Promise<number[]> {
  const reports: number[] = [];
  for (const { uid, source } of messages) {
    if (signal.aborted) break;
    const outcome = source === undefined ? 'unknown' : await takeReport(ports, source, []);
    ports.log.debug({ outcome, uid }, 'a message in the bounce mailbox was looked at');
    if (outcome !== 'unknown') reports.push(uid);
  }
  return reports;
}

async function putAway(
  ports: CampaignsPorts,
  client: ImapFlow,
  { markSeen, moveTo }: BounceMailboxConfig,
  uids: readonly number[],
): Promise<void> {
  const range = uids.join(',');
  if (
    markSeen &&
    !(await inTime(ports.clock, client, client.messageFlagsAdd(range, ['\\Seen'], { uid: true })))
  ) {
    ports.log.warn({ messages: uids.length }, 'reports could not be marked as seen; they were taken in');
  }
  if (moveTo === undefined) return;
  if (
    !canMove(client) ||
    !(await inTime(ports.clock, client, client.messageMove(range, moveTo, { uid: true })))
  ) {
    ports.log.warn({ messages: uids.length }, 'reports could not be moved; they were taken in, and stay');
  }
}

/** Without both, moving would expunge whatever else is marked as deleted. */
function canMove({ capabilities }: ImapFlow): boolean {
  return capabilities.has('MOVE') || capabilities.has('UIDPLUS');
}

function uidValidityOf({ mailbox }: ImapFlow): string {
  if (!mailbox) throw new MailboxError('interrupted', 'The mail server has closed the mailbox', null);
  return String(mailbox.uidValidity);
}
