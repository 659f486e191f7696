import type { Log } from '@postern/http';
import type { Clock } from '@postern/kit';
import { type Platform, PlatformError, type PostRef } from '../platforms/platform.ts';
import type { EditBudget } from './edit-budget.ts';

/** Times one post or edit is tried, on top of what the platform tries by itself; a quarter of an hour in all. */
const MAX_TRIES = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Newest posts of the thread among which a post is looked for whose answer was lost. */
const LOOK_BACK = 30;

export interface PostingOptions {
  readonly platform: Platform;
  readonly channelId: string;
  readonly threadId: string | null;
  readonly clock: Clock;
  readonly budget: EditBudget;
  /** Begins the keys of this output's posts; another one after a restart. */
  readonly keyPrefix: string;
  readonly log: Log;
}

/** Posts and edits in one thread, each tried again within bounds. */
export class Posting {
  readonly #options: PostingOptions;
  /** Ends all pauses, and with them all further tries. */
  readonly #hurry = new AbortController();
  #count = 0;
  readonly #own = new Set<string>();

  constructor(options: PostingOptions) {
    this.#options = options;
  }

  get canEdit(): boolean {
    return this.#options.platform.capabilities.edit;
  }

  /** For what goes wrong without anything of the agent's words being lost. */
  note(error: unknown, message: string): void {
    this.#options.log.warn({ err: error }, message);
  }

  /** From now on nothing is tried again. */
  giveUp(): void {
    this.#hurry.abort();
  }

  /** @throws PlatformError when it did not go out after all tries. */
  async post(markdown: string): Promise<PostRef> {
    const { platform, channelId, threadId, keyPrefix } = this.#options;
    this.#count += 1;
    const key = `${keyPrefix}:${this.#count}`;
    let mayBeThere = false;
    const ref = await this.#tried(async () => {
      const there = mayBeThere ? await this.#find(markdown) : null;
      if (there !== null) return there;
      try {
        return await platform.post({ channelId, threadId, markdown, key });
      } catch (error) {
        mayBeThere ||= error instanceof PlatformError && error.code === 'unknown';
        throw error;
      }
    });
    this.#own.add(ref.postId);
    return ref;
  }

  /** Waits for its turn in the platform's budget; `text` is asked only then. Null makes no edit. */
  async edit(ref: PostRef, text: () => string | null): Promise<void> {
    const { platform, budget } = this.#options;
    await this.#tried(async () => {
      await budget.take(this.#hurry.signal);
      const markdown = text();
      if (markdown !== null) await platform.edit(ref, markdown);
    });
  }

  /** A post that cannot be deleted stays; it is no reason to stop. */
  async delete(ref: PostRef): Promise<void> {
    await this.#options.platform
      .delete(ref)
      .catch((error: unknown) => this.note(error, 'a post could not be deleted'));
  }

  /** A reaction that cannot be added is left out. */
  async react(ref: PostRef, emoji: string): Promise<void> {
    if (!this.#options.platform.capabilities.reactions) return;
    await this.#options.platform
      .react(ref, emoji)
      .catch((error: unknown) => this.note(error, 'a reaction could not be added'));
  }

  async #tried<Value>(attempt: () => Promise<Value>): Promise<Value> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!isPassing(error) || tries >= MAX_TRIES || this.#hurry.signal.aborted) throw error;
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
        await this.#options.clock.sleep(pause, this.#hurry.signal);
      }
    }
  }

  /**
   * A post of ours whose answer was lost. What the platform makes of the markup differs, so letters and digits
   * are compared; one that is known already is another.
   */
  async #find(markdown: string): Promise<PostRef | null> {
    const { platform, channelId, threadId } = this.#options;
    const self = await platform.self();
    const posts =
      threadId === null
        ? await platform.readChannel(channelId, LOOK_BACK)
        : await platform.readThread(channelId, threadId, LOOK_BACK);
    const wanted = ink(markdown);
    const found = posts.findLast(
      (post) => post.author.id === self.id && !this.#own.has(post.postId) && ink(post.text) === wanted,
    );
    return found ? { channelId: found.channelId, postId: found.postId } : null;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof PlatformError && (error.code === 'unavailable' || error.code === 'unknown');
}

function ink(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
