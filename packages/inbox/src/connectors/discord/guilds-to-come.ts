/** Servers of which nothing is told yet, since a session begins before them or Discord has lost them for a while. */
export class GuildsToCome {
  readonly #all = new Map<string, { readonly shard: number; readonly isMissed: boolean }>();

  get size(): number {
    return this.#all.size;
  }

  ids(): IterableIterator<string> {
    return this.#all.keys();
  }

  /** A session of a shard has begun. @param isMissed whether what happens until they come counts as missed. */
  announce(shard: number, guildIds: readonly string[], isMissed: boolean): void {
    for (const [id, guild] of this.#all) if (guild.shard === shard) this.#all.delete(id);
    for (const id of guildIds) this.#all.set(id, { shard, isMissed });
  }

  /** Discord itself has lost it for now, and tells nothing of it until it comes back. */
  lose(guildId: string, shard: number): void {
    this.#all.set(guildId, { shard, isMissed: true });
  }

  isMissed(guildId: string): boolean {
    return this.#all.get(guildId)?.isMissed ?? false;
  }

  /** It has come, or is no longer one of the account's. */
  delete(guildId: string): void {
    this.#all.delete(guildId);
  }
}
