import { type PoolOutcome, type SmtpPool, smtpPool } from '@postern/mail';
import type { OutgoingMail, SendHooks, SendResult, Transport } from '../engine/ports.ts';
import type { CampaignsPorts } from '../ports.ts';
import { ehloName, relayOptions } from './relay-address.ts';

/** A last look older than this is taken again: the mail may have waited for a connection meanwhile. */
const FRESH_US = 250_000;

/**
 * Sends over the relays of the configuration.
 *
 * @param share of the connections that this transport may open, where several work side by side.
 * @throws Error when a relay's address can't be read.
 */
export function smtpTransport(ports: CampaignsPorts, share = 1): Transport {
  const { config, clock, random } = ports;
  const connections = Math.max(1, Math.floor(config.engine.connections * share));
  const relays = config.smtp.map((relay, place) => {
    const own = relay.connections === undefined ? undefined : Math.ceil(relay.connections * share);
    return relayOptions({ ...relay, connections: own }, place, connections);
  });
  const name = ehloName(config.returnPathDomain, ports.publicUrl());
  const pool = smtpPool({ relays, name, clock, random });
  return {
    connections: Math.max(...relays.map((relay) => relay.connections ?? connections)),
    send: (mail, hooks, signal) => send(ports, pool, mail, hooks, signal),
    close: () => pool.close(),
  };
}

/** How far a mail has come, as its hooks saw it. */
interface Progress {
  wasAskedForEnd: boolean;
  mayEnd: boolean;
}

async function send(
  { clock }: Pick<CampaignsPorts, 'clock'>,
  pool: SmtpPool,
  mail: OutgoingMail,
  hooks: SendHooks,
  signal: AbortSignal,
): Promise<SendResult> {
  const progress: Progress = { wasAskedForEnd: false, mayEnd: false };
  for (;;) {
    await pool.untilFree();
    if (signal.aborted || !(await hooks.beforeMail().catch(() => false))) return { kind: 'held' };
    const lookedUs = clock.nowMicroseconds();
    const sending = pool.send({
      from: mail.from,
      to: mail.to,
      data: mail.bytes,
      utf8: mail.smtpUtf8,
      beforeMail: () => !signal.aborted && clock.nowMicroseconds() - lookedUs <= FRESH_US,
      async beforeEnd() {
        progress.wasAskedForEnd = true;
        // What was given up while the mark was being written does not leave any more.
        progress.mayEnd = (await hooks.beforeEnd()) && !signal.aborted;
        return progress.mayEnd;
      },
    });
    const outcome = await unlessAborted(sending, signal);
    if (outcome === 'aborted') {
      return progress.mayEnd
        ? { kind: 'unknown', detail: 'The hub stopped before the server had answered' }
        : { kind: 'held' };
    }
    if (outcome.kind !== 'cancelled') return resultOf(outcome);
    // It waited too long for its connection: look again.
    if (progress.wasAskedForEnd) return { kind: 'held' };
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve('aborted');
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function resultOf(outcome: Exclude<PoolOutcome, { kind: 'cancelled' }>): SendResult {
  switch (outcome.kind) {
    case 'reply': {
      const { code, enhanced, text, stage } = outcome;
      const reply = { code, enhanced, text };
      return code < 300 ? { kind: 'accepted', reply } : { kind: 'refused', reply, stage };
    }
    case 'refused': {
      const { code, enhanced, text } = outcome;
      if (enhanced === '5.6.7') return { kind: 'unsupported', what: 'smtputf8', detail: text };
      if (enhanced === '5.3.4') return { kind: 'unsupported', what: 'size', detail: text };
      const stage = enhanced === '5.1.3' ? 'rcpt' : 'dot';
      return { kind: 'refused', reply: { code, enhanced, text }, stage };
    }
    case 'lost':
      return outcome.stage === 'after_dot'
        ? { kind: 'unknown', detail: outcome.text }
        : { kind: 'interrupted', detail: outcome.text };
    case 'unavailable': {
      const isOurs = outcome.fault === 'auth' || outcome.fault === 'tls';
      return { kind: isOurs ? 'misconfigured' : 'unreachable', detail: outcome.text };
    }
  }
}
