import type { OutgoingMail, Reply, SendHooks, SendResult, Transport } from '../engine/ports.ts';
import { coalesce } from '../engine/send/coalesce.ts';
import type { CampaignsPorts } from '../ports.ts';

/** Mails kept of one transaction; each may have megabytes. */
const BATCH = 50;
const CONNECTIONS = 10;
/** What is too much is removed every so many mails, so that it is not looked for with each. */
const PRUNE_EVERY = 100;

const KEPT: Reply = { code: 250, enhanced: '2.0.0', text: 'captured; nothing leaves this machine' };

/** Keeps mails in the database instead of sending them, the newest `captureKeep` of them. */
export function captureTransport(ports: CampaignsPorts): Transport {
  let sincePruned = PRUNE_EVERY;
  const keep = coalesce(async (mails: readonly OutgoingMail[]) => {
    await keepMails(ports, mails);
    sincePruned += mails.length;
    if (sincePruned >= PRUNE_EVERY) {
      sincePruned = 0;
      await prune(ports);
    }
    return mails;
  }, BATCH);
  return {
    connections: CONNECTIONS,
    async send(mail: OutgoingMail, hooks: SendHooks): Promise<SendResult> {
      if (!(await hooks.beforeMail().catch(() => false))) return { kind: 'held' };
      if (!(await hooks.beforeEnd().catch(() => false))) return { kind: 'held' };
      try {
        await keep(mail);
        return { kind: 'accepted', reply: KEPT };
      } catch (error) {
        ports.log.warn({ err: error }, 'a mail could not be captured');
        return { kind: 'unknown', detail: 'The mail could not be stored' };
      }
    },
    async close() {},
  };
}

async function keepMails({ store, clock, newId }: CampaignsPorts, mails: readonly OutgoingMail[]) {
  const now = clock.nowMicroseconds();
  await store.transaction(async (tx) => {
    for (const mail of mails) {
      await tx
        .insertInto('mail_captured')
        .values({
          captured_id: newId('cap'),
          mail_from: mail.from,
          rcpt_to: mail.to,
          subject: mail.subject,
          size_bytes: mail.bytes.length,
          raw: mail.bytes,
          created_us: now,
        })
        .execute();
    }
  });
}

async function prune({ store, config }: CampaignsPorts): Promise<void> {
  const oldest = await store.db
    .selectFrom('mail_captured')
    .select('captured_id')
    .orderBy('captured_id', 'desc')
    .offset(config.captureKeep)
    .limit(1)
    .executeTakeFirst();
  if (!oldest) return;
  await store.db.deleteFrom('mail_captured').where('captured_id', '<=', oldest.captured_id).execute();
}
