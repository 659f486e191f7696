import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CampaignsPorts } from '../../ports.ts';
import { type Mark, type Settlement, settleRows } from '../ledger/settle.ts';

/** Results of one transaction at most, and how long one may wait for others (contract, 8.18). */
const MOST_SETTLEMENTS = 200;
const LONGEST_WAIT_MS = 100;
/** Turns of the event loop without a new mark after which nobody seems to be coming. */
const QUIET_TURNS = 3;
const RETRY_MS = 500;
/** Tries of a worker that is to stop. */
const LAST_TRIES = 5;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (moved: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One worker's only way to write to the ledger: one transaction at a time, for all its mails together. Marks
 * (`submitted`, before the last byte leaves) are written as soon as they come; results wait a little for company and
 * go along with the next marks, so a mail costs a part of two commits.
 */
export class LedgerWriter {
  readonly #ports: CampaignsPorts;
  readonly #worker: string;
  readonly #closing = new AbortController();
  #marks: Waiting<Mark>[] = [];
  #settlements: Waiting<Settlement>[] = [];
  #writing: Promise<void> | undefined;
  #failures = 0;
  #hurry = new AbortController();

  constructor(ports: CampaignsPorts, worker: string) {
    this.#ports = ports;
    this.#worker = worker;
  }

  /**
   * Notes that a mail is about to be handed over.
   *
   * @returns false when the row is no longer this worker's: it must not be sent.
   * @throws what the database throws; then it must not be sent either.
   */
  submit(mark: Mark): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#marks.push({ item: mark, resolve, reject });
      this.#wake();
    });
  }

  /**
   * Notes what became of a mail. It is tried until it is written, as only this worker knows it.
   *
   * @returns false when the row is no longer this worker's.
   */
  settle(settlement: Settlement): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#settlements.push({ item: settlement, resolve, reject });
      this.#wake();
    });
  }

  /** How many results are not on the disk yet. */
  get unwritten(): number {
    return this.#settlements.length;
  }

  /** Lets what there is wait for no more. */
  flush(): void {
    // An abort makes an error with a stack, which for every mark would cost more than building the mail's header.
    if (!this.#hurry.signal.aborted) this.#hurry.abort();
  }

  /** Writes what there is, without waiting for more. What can't be written in a few tries is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#hurry.abort();
    await this.#writing;
  }

  #wake(): void {
    const isUrgent = this.#marks.length > 0 || this.#settlements.length >= MOST_SETTLEMENTS;
    if (isUrgent) this.flush();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    await nextTurn();
    while (this.#marks.length + this.#settlements.length > 0) {
      if (this.#marks.length === 0 && this.#settlements.length < MOST_SETTLEMENTS) await this.#waitForMore();
      await this.#gather();
      await this.#writeOnce();
    }
  }

  /** A commit costs more than a few turns of the event loop, so marks wait as long as others keep coming. */
  async #gather(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      const before = this.#marks.length;
      await nextTurn();
      quiet = this.#marks.length > before && this.#marks.length < MOST_SETTLEMENTS ? 0 : quiet + 1;
    }
  }

  async #waitForMore(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    await this.#ports.clock.sleep(LONGEST_WAIT_MS, this.#hurry.signal);
  }

  async #writeOnce(): Promise<void> {
    const { store, clock } = this.#ports;
    const marks = this.#marks.splice(0, MOST_SETTLEMENTS);
    const settlements = this.#settlements.slice(0, MOST_SETTLEMENTS);
    // Whoever was in a hurry is among them.
    if (settlements.length === this.#settlements.length) this.#hurry = new AbortController();
    try {
      const moved = await store.transaction((tx) =>
        settleRows(
          tx,
          this.#ports,
          this.#worker,
          settlements.map((one) => one.item),
          marks.map((one) => one.item),
        ),
      );
      this.#failures = 0;
      this.#settlements.splice(0, settlements.length);
      for (const { item, resolve } of settlements) resolve(moved.has(item.id));
      for (const { item, resolve } of marks) resolve(moved.has(item.id));
    } catch (error) {
      this.#ports.log.warn({ err: error }, 'the ledger could not be written');
      for (const { reject } of marks) reject(error);
      this.#failures += 1;
      if (this.#closing.signal.aborted && this.#failures >= LAST_TRIES) {
        for (const { reject } of this.#settlements.splice(0)) reject(error);
      }
      if (this.#settlements.length > 0) await clock.sleep(RETRY_MS);
    }
  }
}
