import { nowMilliseconds } from '@postern/kit';
import type { CampaignsPorts } from '../../ports.ts';
import type { CampaignTable } from '../../tables.ts';
import { moveCampaign } from '../control/campaign-state.ts';
import { ENGINE_CHANNEL, PROGRESS_CHANNEL } from '../control/channels.ts';
import { claimDeliveries, LEASE_MS } from '../ledger/claim.ts';
import { claimEmails } from '../ledger/claim-emails.ts';
import { mayLeave } from '../ledger/gate.ts';
import { renewLeases } from '../ledger/recover.ts';
import type { Settlement } from '../ledger/settle.ts';
import { CampaignUnfitError, type MailerSource, type Transport } from '../ports.ts';
import { coalesce } from './coalesce.ts';
import { type DeliverySetting, deliver } from './deliver.ts';
import { Destinations } from './destinations.ts';
import { RelayCircuit } from './relay-circuit.ts';
import { CampaignSource } from './source.ts';
import { campaignTask, emailTask, type SendTask, settlementOf } from './task.ts';
import { LedgerWriter } from './writer.ts';

export interface SenderOptions {
  readonly ports: CampaignsPorts;
  readonly transport: Transport;
  readonly mailers: MailerSource;
  /** Name of the claims; no two senders that are alive may share one. */
  readonly worker: string;
  /** How long a stop waits for answers of servers, in milliseconds. */
  readonly graceMs?: number;
}

/** Mails built or waiting for a connection, for each connection. */
const LANES_PER_CONNECTION = 2;
/** Claimed mails that wait in memory: enough to keep all connections busy for a moment, and no more. */
const QUEUE_PER_LANE = 4;
const LONGEST_QUEUE = 400;
/** Results that are not on the disk yet; with the mails in flight they stay below 200 (contract, 8.18). */
const MOST_UNWRITTEN = 100;
/** The longest time without a look, should a wake-up be lost. */
const POLL_MS = 1_000;
const SHORTEST_WAIT_MS = 20;
const REFRESH_MS = 250;
const GRACE_MS = 8_000;
const SETBACK_US = 60_000_000;

/** Sends what is due until the signal aborts; then what has not left goes back, and answers are awaited for a while. */
export async function runSender(options: SenderOptions, signal: AbortSignal): Promise<void> {
  await new Sender(options, signal).run();
}

class Sender {
  readonly #options: SenderOptions;
  readonly #ports: CampaignsPorts;
  readonly #stop: AbortSignal;
  readonly #writer: LedgerWriter;
  readonly #setting: DeliverySetting;
  readonly #circuit: RelayCircuit;
  readonly #lanes: number;
  readonly #capacity: number;
  readonly #queue: SendTask[] = [];
  /** Lanes that wait for work. */
  readonly #idle: ((task: SendTask | undefined) => void)[] = [];
  /** Mails that were taken and have no result yet. */
  #open = 0;
  /** Rows held, by campaign. */
  readonly #held = new Map<string, number>();
  readonly #sources = new Map<string, CampaignSource>();
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #wake = new AbortController();
  #isFed = true;

  constructor(options: SenderOptions, signal: AbortSignal) {
    this.#options = options;
    this.#ports = options.ports;
    this.#stop = signal;
    this.#writer = new LedgerWriter(options.ports, options.worker);
    this.#circuit = new RelayCircuit(options.ports.clock);
    this.#lanes = options.transport.connections * LANES_PER_CONNECTION;
    this.#capacity = Math.min(LONGEST_QUEUE, this.#lanes * QUEUE_PER_LANE);
    this.#setting = {
      ports: options.ports,
      transport: options.transport,
      writer: this.#writer,
      destinations: new Destinations(options.ports),
      circuit: this.#circuit,
      lookOnce: coalesce((tasks: readonly SendTask[]) => mayLeave(options.ports, tasks)),
      isStopping: () => signal.aborted,
      interruptions: new Map(),
    };
  }

  async run(): Promise<void> {
    const { store, log } = this.#ports;
    const hard = new AbortController();
    const over = new AbortController();
    const stopListening = store.listen(ENGINE_CHANNEL, () => {
      this.#refreshedMs = Number.NEGATIVE_INFINITY;
      this.#lookAgain();
    });
    const renewing = this.#renew(over.signal);
    const lanes = Array.from({ length: this.#lanes }, () => this.#lane(hard.signal));
    try {
      while (!this.#stop.aborted) await this.#turn();
    } finally {
      stopListening();
      this.#isFed = false;
      for (const take of this.#idle.splice(0)) take(undefined);
      void this.#ports.clock.sleep(this.#options.graceMs ?? GRACE_MS, over.signal).then(() => hard.abort());
      await Promise.all(lanes);
      await this.#writer.close().catch((error: unknown) => log.error({ err: error }, 'results were lost'));
      over.abort();
      await renewing;
    }
  }

  /** Fills the queue, then waits until it is half empty, or until something may be due. */
  async #turn(): Promise<void> {
    // Made anew before looking, so that what happens meanwhile is not missed.
    this.#wake = new AbortController();
    try {
      const waitMs = await this.#feed();
      if (waitMs > 0) {
        await this.#ports.clock.sleep(waitMs, AbortSignal.any([this.#stop, this.#wake.signal]));
      }
    } catch (error) {
      this.#ports.log.warn({ err: error }, 'the ledger could not be read; trying again');
      await this.#ports.clock.sleep(POLL_MS, this.#stop);
    }
  }

  /** @returns how long to wait before the next look. */
  async #feed(): Promise<number> {
    const closedMs = this.#circuit.waitMs;
    if (closedMs > 0) return Math.min(closedMs, POLL_MS);
    const most = this.#circuit.isTrying ? 1 : this.#capacity;
    const room = most - this.#queue.length;
    if (room <= 0 || this.#queue.length > this.#capacity / 2) return POLL_MS;
    await this.#refresh();
    let waitMs = POLL_MS;
    let taken = await this.#feedEmails(room);
    // Each campaign its share, in turn, so that a big one does not keep out the others.
    const sources = [...this.#sources.values()];
    for (const [index, source] of sources.entries()) {
      const share = Math.ceil((room - taken) / (sources.length - index));
      if (share <= 0) break;
      const fed = await this.#feedCampaign(source, share);
      taken += fed.taken;
      waitMs = Math.min(waitMs, fed.waitMs);
    }
    return taken > 0 ? 0 : Math.max(SHORTEST_WAIT_MS, waitMs);
  }

  async #feedEmails(room: number): Promise<number> {
    const rows = await claimEmails(this.#ports, this.#options.worker, room);
    for (const row of rows) this.#offer(emailTask(row, this.#options.mailers));
    return rows.length;
  }

  async #feedCampaign(source: CampaignSource, share: number): Promise<{ taken: number; waitMs: number }> {
    const allowed = await source.allow(share);
    if (allowed === 0) return { taken: 0, waitMs: source.throttleWaitMs };
    let taken = 0;
    for (const state of source.statesToTry(nowMilliseconds(this.#ports.clock))) {
      const claimed = await claimDeliveries(this.#ports, {
        campaignId: source.campaignId,
        state,
        worker: this.#options.worker,
        limit: allowed - taken,
      });
      taken += claimed.taken;
      for (const delivery of claimed.deliveries) this.#offer(campaignTask(delivery, source.mailer));
      // Skipped rows may have been the last ones.
      if (claimed.taken > claimed.deliveries.length) this.#ports.store.notify(PROGRESS_CHANNEL);
      if (taken >= allowed) break;
    }
    source.giveBack(allowed - taken);
    return { taken, waitMs: taken > 0 ? 0 : await source.nextDueMs() };
  }

  /** Looks which campaigns run. Their content is fixed while they do, so it is prepared once. */
  async #refresh(): Promise<void> {
    const now = nowMilliseconds(this.#ports.clock);
    if (now - this.#refreshedMs < REFRESH_MS) return;
    this.#refreshedMs = now;
    const running = await this.#ports.store.db
      .selectFrom('mail_campaigns')
      .selectAll()
      .where('state', '=', 'running')
      .orderBy('launched_us')
      .execute();
    const ids = new Set(running.map((campaign) => campaign.campaign_id));
    for (const id of this.#sources.keys()) if (!ids.has(id)) this.#sources.delete(id);
    for (const campaign of running) {
      if (!this.#sources.has(campaign.campaign_id)) await this.#prepare(campaign);
      const source = this.#sources.get(campaign.campaign_id);
      if (source) source.isFreezing = campaign.frozen_us === null;
    }
  }

  async #prepare(campaign: CampaignTable): Promise<void> {
    const { campaign_id } = campaign;
    try {
      const mailer = await this.#options.mailers.campaignMailer(campaign);
      this.#sources.set(campaign_id, new CampaignSource(this.#ports, campaign, mailer));
    } catch (error) {
      if (!(error instanceof CampaignUnfitError)) throw error;
      const { reason, message } = error;
      this.#ports.log.warn({ campaign_id, reason, detail: message }, 'a campaign can not be sent');
      await this.#ports.store.transaction((tx) => moveCampaign(tx, this.#ports, campaign_id, 'fail', reason));
    }
  }

  #offer(task: SendTask): void {
    this.#open += 1;
    if (task.campaignId !== null) {
      this.#held.set(task.campaignId, (this.#held.get(task.campaignId) ?? 0) + 1);
    }
    const take = this.#idle.shift();
    if (take) take(task);
    else this.#queue.push(task);
  }

  /** An abort makes an error with a stack, so one is enough for all lanes that run dry. */
  #lookAgain(): void {
    if (!this.#wake.signal.aborted) this.#wake.abort();
  }

  #next(): Promise<SendTask | undefined> {
    const task = this.#queue.shift();
    if (this.#queue.length === Math.floor(this.#capacity / 2)) this.#lookAgain();
    if (task) return Promise.resolve(task);
    if (!this.#isFed) return Promise.resolve(undefined);
    this.#lookAgain();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  async #lane(hard: AbortSignal): Promise<void> {
    for (let task = await this.#next(); task !== undefined; task = await this.#next()) {
      const settlement = await this.#attempt(task, hard);
      const done = this.#writeDown(task, settlement);
      this.#open -= 1;
      // Nobody else is on the way whose result it could wait for.
      if (this.#open === 0) this.#writer.flush();
      if (this.#writer.unwritten >= MOST_UNWRITTEN) await done;
    }
  }

  /** What nobody foresaw sends the mail back for a while. */
  async #attempt(task: SendTask, hard: AbortSignal): Promise<Settlement | null> {
    try {
      return await deliver(this.#setting, task, hard);
    } catch (error) {
      this.#ports.log.error({ err: error, id: task.id }, 'a mail could not be sent');
      const dueUs = this.#ports.clock.nowMicroseconds() + SETBACK_US;
      return settlementOf(task, { from: 'claimed', event: 'release', dueUs });
    }
  }

  async #writeDown(task: SendTask, settlement: Settlement | null): Promise<void> {
    try {
      if (settlement) await this.#writer.settle(settlement);
    } catch (error) {
      this.#ports.log.error({ err: error, id: task.id }, 'a result could not be written');
    } finally {
      this.#letGo(task);
    }
  }

  #letGo({ campaignId }: SendTask): void {
    if (campaignId === null) return;
    const left = (this.#held.get(campaignId) ?? 1) - 1;
    if (left > 0) this.#held.set(campaignId, left);
    else {
      this.#held.delete(campaignId);
      // It may have been the last one.
      this.#ports.store.notify(PROGRESS_CHANNEL);
    }
  }

  async #renew(over: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports;
    while (!over.aborted) {
      await clock.sleep(LEASE_MS / 3, over);
      if (over.aborted) return;
      try {
        await renewLeases(this.#ports, this.#options.worker, [...this.#held.keys()], LEASE_MS);
      } catch (error) {
        log.warn({ err: error }, 'claims could not be prolonged');
      }
    }
  }
}
