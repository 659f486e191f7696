import { AsyncLocalStorage } from 'node:async_hooks';
import { TransactionMisuseError } from './errors.ts';

interface OpenTransaction {
  open: boolean;
  readonly afterCommit: (() => void)[];
}

/**
 * Knows whether the running code is inside a transaction's callback. What such code starts and forgets
 * inherits the mark, so the mark itself ends with the transaction.
 */
export class TransactionScope {
  readonly #storage = new AsyncLocalStorage<OpenTransaction>();

  /** @throws TransactionMisuseError inside a transaction's callback. */
  assertOutside(what: string): void {
    if (this.#storage.getStore()?.open) throw new TransactionMisuseError(what);
  }

  /** Runs `act` when the surrounding transaction has committed, or at once when there is none. */
  afterCommit(act: () => void): void {
    const transaction = this.#storage.getStore();
    if (transaction?.open) transaction.afterCommit.push(act);
    else this.#storage.exit(act);
  }

  /** Runs `work` as a transaction's callback; gives its result and what is to be done after the commit. */
  async run<T>(work: () => Promise<T>): Promise<{ result: T; afterCommit: readonly (() => void)[] }> {
    const transaction: OpenTransaction = { open: true, afterCommit: [] };
    try {
      const result = await this.#storage.run(transaction, work);
      return { result, afterCommit: transaction.afterCommit };
    } finally {
      transaction.open = false;
    }
  }
}
