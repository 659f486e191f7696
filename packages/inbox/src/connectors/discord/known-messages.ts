/**
 * Messages of a channel that the inbox has, against what Discord still lists: those that are not in a stretch that was
 * read whole have been deleted. Discord tells nobody of it afterwards.
 */
export class KnownMessages {
  readonly #unseen: Set<bigint>;
  readonly #all: ReadonlySet<bigint>;
  #hasSeen = false;

  constructor(platformIds: readonly string[]) {
    this.#all = new Set(platformIds.filter((id) => /^\d{1,20}$/.test(id)).map(BigInt));
    this.#unseen = new Set(this.#all);
  }

  /** Whether there is something to look for. */
  get hasAny(): boolean {
    return this.#all.size > 0;
  }

  /** Whether Discord has listed anything at all, whoever wrote it. */
  get hasSeen(): boolean {
    return this.#hasSeen;
  }

  has(id: bigint): boolean {
    return this.#all.has(id);
  }

  saw(page: readonly { readonly id: bigint }[]): void {
    if (page.length > 0) this.#hasSeen = true;
    for (const { id } of page) this.#unseen.delete(id);
  }

  /** Those above an id that Discord did not list, where all above it was read. */
  goneAbove(id: bigint): bigint[] {
    return [...this.#unseen].filter((unseen) => unseen > id);
  }
}
